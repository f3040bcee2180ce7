// Package protocol is what every client program speaks: see ../../node/protocol.mjs.
package protocol

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"sort"
	"strings"
	"sync"
	"time"
)

// A Record to write. Bytes are base64.
type Record struct {
	Partition int32       `json:"partition"`
	Key       *string     `json:"key"`
	Value     *string     `json:"value"`
	Headers   [][]*string `json:"headers"`
	Timestamp *int64      `json:"timestamp"`
}

// A Batch is written by one producer.
type Batch struct {
	Topic      string   `json:"topic"`
	Codec      string   `json:"codec"`
	Acks       *int     `json:"acks"`
	Idempotent bool     `json:"idempotent"`
	Records    []Record `json:"records"`
}

// RequiredAcks is -1 where nothing is said.
func (b Batch) RequiredAcks() int {
	if b.Acks == nil {
		return -1
	}
	return *b.Acks
}

// Arguments of all scenarios.
type Arguments struct {
	Batches          []Batch        `json:"batches"`
	Topics           map[string]int `json:"topics"`
	Topic            string         `json:"topic"`
	Group            string         `json:"group"`
	Reset            string         `json:"reset"`
	SessionTimeoutMs int64          `json:"sessionTimeoutMs"`
}

// SessionTimeout is six seconds where nothing is said.
func (a Arguments) SessionTimeout() time.Duration {
	if a.SessionTimeoutMs == 0 {
		return 6 * time.Second
	}
	return time.Duration(a.SessionTimeoutMs) * time.Millisecond
}

// An Offset that a client was told of what it wrote.
type Offset struct {
	Partition int32 `json:"partition"`
	Offset    int64 `json:"offset"`
}

// Fields of an event.
type Fields map[string]any

var output sync.Mutex

// Emit prints one event.
func Emit(event string, fields Fields) {
	line := Fields{"event": event}
	for name, value := range fields {
		line[name] = value
	}
	text, err := json.Marshal(line)
	Check(err)
	output.Lock()
	defer output.Unlock()
	fmt.Println(string(text))
}

// Check ends the program where there is an error.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		debug.PrintStack()
		os.Exit(1)
	}
}

// Decode gives nil for null.
func Decode(text *string) []byte {
	if text == nil {
		return nil
	}
	bytes, err := base64.StdEncoding.DecodeString(*text)
	Check(err)
	if bytes == nil {
		bytes = []byte{}
	}
	return bytes
}

// Encode gives null for nil.
func Encode(bytes []byte) *string {
	if bytes == nil {
		return nil
	}
	text := base64.StdEncoding.EncodeToString(bytes)
	return &text
}

// A Header that was read.
type Header struct {
	Name  string
	Value []byte
}

// Tell prints a record that was read.
func Tell(topic string, partition int32, offset int64, at time.Time, key, value []byte, headers []Header) {
	list := [][]*string{}
	for _, header := range headers {
		list = append(list, []*string{&header.Name, Encode(header.Value)})
	}
	Emit("record", Fields{
		"topic": topic, "partition": partition, "offset": offset, "timestamp": at.UnixMilli(),
		"key": Encode(key), "value": Encode(value), "headers": list,
	})
}

// Step prints a step of the scenario "topics".
func Step(name string, value any) {
	Emit("step", Fields{"step": name, "value": value})
}

// Until asks until the answer will do.
func Until[T any](ask func() T, willDo func(T) bool) T {
	for {
		answer := ask()
		if willDo(answer) {
			return answer
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// OnCommands calls with each line of standard input, and ends at "leave".
func OnCommands(command func(string)) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "leave" {
			return
		}
		command(line)
	}
}

// Positions are the offsets behind what a member of a group consumed of the partitions that it has.
type Positions struct {
	mutex sync.Mutex
	next  map[int32]int64
}

// Assigned prints all the partitions that the member has now.
func (p *Positions) Assigned(partitions []int32) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	kept := map[int32]int64{}
	sorted := append([]int32{}, partitions...)
	sort.Slice(sorted, func(a, b int) bool { return sorted[a] < sorted[b] })
	for _, partition := range sorted {
		if next, has := p.next[partition]; has {
			kept[partition] = next
		}
	}
	p.next = kept
	Emit("assigned", Fields{"partitions": sorted})
}

// Consumed takes note of a record.
func (p *Positions) Consumed(partition int32, offset int64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.next == nil {
		p.next = map[int32]int64{}
	}
	p.next[partition] = offset + 1
}

// All gives a copy.
func (p *Positions) All() map[int32]int64 {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	all := map[int32]int64{}
	for partition, next := range p.next {
		all[partition] = next
	}
	return all
}

// Main runs the scenario that the arguments name.
func Main(scenarios map[string]func(bootstrap string, arguments Arguments)) {
	bootstrap := ""
	arguments := Arguments{}
	if len(os.Args) > 3 {
		bootstrap = os.Args[2]
		Check(json.Unmarshal([]byte(os.Args[3]), &arguments))
	}
	scenarios[os.Args[1]](bootstrap, arguments)
}

// Version gives the version of a module that this program is built of.
func Version(module string) func(string, Arguments) {
	return func(string, Arguments) {
		info, _ := debug.ReadBuildInfo()
		for _, dependency := range info.Deps {
			if dependency.Path == module {
				Emit("version", Fields{"version": strings.TrimPrefix(dependency.Version, "v")})
			}
		}
	}
}
