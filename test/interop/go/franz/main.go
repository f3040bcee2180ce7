// The scenarios with franz-go.
package main

import (
	"context"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	. "mykafka/interop/protocol"
)

var ctx = context.Background()

var codecs = map[string]kgo.CompressionCodec{
	"":       kgo.NoCompression(),
	"none":   kgo.NoCompression(),
	"gzip":   kgo.GzipCompression(),
	"snappy": kgo.SnappyCompression(),
	"lz4":    kgo.Lz4Compression(),
	"zstd":   kgo.ZstdCompression(),
}

func connect(bootstrap string, options ...kgo.Opt) *kgo.Client {
	client, err := kgo.NewClient(append(options, kgo.SeedBrokers(bootstrap))...)
	Check(err)
	return client
}

func produce(bootstrap string, arguments Arguments) {
	for _, batch := range arguments.Batches {
		produceBatch(bootstrap, batch)
	}
}

func produceBatch(bootstrap string, batch Batch) {
	acks := map[int]kgo.Acks{-1: kgo.AllISRAcks(), 0: kgo.NoAck(), 1: kgo.LeaderAck()}[batch.RequiredAcks()]
	options := []kgo.Opt{
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(codecs[batch.Codec]),
		kgo.RequiredAcks(acks),
		kgo.ProducerLinger(20 * time.Millisecond),
	}
	if !batch.Idempotent {
		options = append(options, kgo.DisableIdempotentWrite())
	}
	client := connect(bootstrap, options...)
	defer client.Close()
	records := []*kgo.Record{}
	for _, item := range batch.Records {
		record := &kgo.Record{Topic: batch.Topic, Partition: item.Partition}
		record.Key, record.Value = Decode(item.Key), Decode(item.Value)
		for _, header := range item.Headers {
			record.Headers = append(record.Headers, kgo.RecordHeader{Key: *header[0], Value: Decode(header[1])})
		}
		if item.Timestamp != nil {
			record.Timestamp = time.UnixMilli(*item.Timestamp)
		}
		records = append(records, record)
	}
	results := client.ProduceSync(ctx, records...)
	Check(results.FirstErr())
	offsets := []Offset{}
	// The results come in another order.
	for _, record := range records {
		offsets = append(offsets, Offset{Partition: record.Partition, Offset: record.Offset})
	}
	if batch.RequiredAcks() == 0 {
		offsets = nil
	}
	Emit("produced", Fields{"topic": batch.Topic, "offsets": offsets})
}

func tell(record *kgo.Record) {
	headers := []Header{}
	for _, header := range record.Headers {
		headers = append(headers, Header{Name: header.Key, Value: header.Value})
	}
	Tell(record.Topic, record.Partition, record.Offset, record.Timestamp, record.Key, record.Value, headers)
}

func consume(bootstrap string, arguments Arguments) {
	topics := []string{}
	left := 0
	for topic, count := range arguments.Topics {
		topics = append(topics, topic)
		left += count
	}
	start := kgo.ConsumeResetOffset(kgo.NewOffset().AtStart())
	client := connect(bootstrap, kgo.ConsumeTopics(topics...), start)
	defer client.Close()
	for left > 0 {
		fetches := client.PollFetches(ctx)
		Check(fetches.Err())
		fetches.EachRecord(func(record *kgo.Record) {
			tell(record)
			left--
		})
	}
}

func member(bootstrap string, arguments Arguments) {
	topic := arguments.Topic
	positions := Positions{}
	has := map[int32]bool{}
	changed := func(partitions map[string][]int32, present bool) {
		for _, partition := range partitions[topic] {
			if present {
				has[partition] = true
			} else {
				delete(has, partition)
			}
		}
		all := []int32{}
		for partition := range has {
			all = append(all, partition)
		}
		positions.Assigned(all)
	}
	gained := func(_ context.Context, _ *kgo.Client, partitions map[string][]int32) { changed(partitions, true) }
	gone := func(_ context.Context, _ *kgo.Client, partitions map[string][]int32) { changed(partitions, false) }
	reset := kgo.NewOffset().AtEnd()
	if arguments.Reset == "earliest" {
		reset = kgo.NewOffset().AtStart()
	}
	client := connect(bootstrap,
		kgo.ConsumeTopics(topic), kgo.ConsumerGroup(arguments.Group), kgo.ConsumeResetOffset(reset),
		kgo.DisableAutoCommit(), kgo.SessionTimeout(arguments.SessionTimeout()),
		kgo.HeartbeatInterval(200*time.Millisecond),
		kgo.OnPartitionsAssigned(gained), kgo.OnPartitionsRevoked(gone), kgo.OnPartitionsLost(gone),
	)
	go func() {
		for {
			fetches := client.PollFetches(ctx)
			if fetches.IsClientClosed() {
				return
			}
			Check(fetches.Err())
			fetches.EachRecord(func(record *kgo.Record) {
				positions.Consumed(record.Partition, record.Offset)
				tell(record)
			})
		}
	}()
	OnCommands(func(string) {
		offsets := map[int32]kgo.EpochOffset{}
		for partition, next := range positions.All() {
			offsets[partition] = kgo.EpochOffset{Epoch: -1, Offset: next}
		}
		client.CommitOffsetsSync(ctx, map[string]map[int32]kgo.EpochOffset{topic: offsets},
			func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, response *kmsg.OffsetCommitResponse, err error) {
				Check(err)
				for _, partition := range response.Topics[0].Partitions {
					Check(kerr.ErrorForCode(partition.ErrorCode))
				}
			})
		Emit("committed", Fields{"offsets": positions.All()})
	})
	client.Close()
	os.Exit(0)
}

func topics(bootstrap string, arguments Arguments) {
	topic := arguments.Topic
	client := connect(bootstrap)
	defer client.Close()
	admin := kadm.NewClient(client)
	listed := func() bool {
		all, err := admin.ListTopics(ctx)
		Check(err)
		return all.Has(topic)
	}
	partitions := func() int {
		all, err := admin.ListTopics(ctx, topic)
		Check(err)
		return len(all[topic].Partitions)
	}
	retention := func() string {
		described, err := admin.DescribeTopicConfigs(ctx, topic)
		Check(err)
		for _, config := range described[0].Configs {
			if config.Key == "retention.ms" {
				return *config.Value
			}
		}
		return ""
	}
	before, after := "86400000", "3600000"
	_, err := admin.CreateTopic(ctx, 3, 1, map[string]*string{"retention.ms": &before}, topic)
	Check(err)
	Step("created", true)
	Step("listed", Until(listed, func(there bool) bool { return there }))
	Step("partitions", partitions())
	Step("config", retention())
	altered, err := admin.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Name: "retention.ms", Value: &after}}, topic)
	Check(err)
	Check(altered[0].Err)
	Step("altered", Until(retention, func(value string) bool { return value != before }))
	grown, err := admin.UpdatePartitions(ctx, 5, topic)
	Check(err)
	Check(grown.Error())
	Step("grown", Until(partitions, func(count int) bool { return count != 3 }))
	deleted, err := admin.DeleteTopics(ctx, topic)
	Check(err)
	Check(deleted.Error())
	Step("deleted", !Until(listed, func(there bool) bool { return !there }))
}

func main() {
	Main(map[string]func(string, Arguments){
		"version": Version("github.com/twmb/franz-go"),
		"produce": produce,
		"consume": consume,
		"member":  member,
		"topics":  topics,
	})
}
