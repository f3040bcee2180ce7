// The scenarios with segmentio/kafka-go.
package main

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	. "mykafka/interop/protocol"
)

var ctx = context.Background()

var codecs = map[string]kafka.Compression{
	"gzip": kafka.Gzip, "snappy": kafka.Snappy, "lz4": kafka.Lz4, "zstd": kafka.Zstd,
}

func produce(bootstrap string, arguments Arguments) {
	for _, batch := range arguments.Batches {
		produceBatch(bootstrap, batch)
	}
}

func produceBatch(bootstrap string, batch Batch) {
	given := func(message kafka.Message, _ ...int) int {
		return int(batch.Records[message.WriterData.(int)].Partition)
	}
	offsets := make([]Offset, len(batch.Records))
	writer := &kafka.Writer{
		Addr:         kafka.TCP(bootstrap),
		Topic:        batch.Topic,
		Balancer:     kafka.BalancerFunc(given),
		RequiredAcks: kafka.RequiredAcks(batch.RequiredAcks()),
		Compression:  codecs[batch.Codec],
		BatchTimeout: 20 * time.Millisecond,
		Completion: func(written []kafka.Message, err error) {
			Check(err)
			for _, message := range written {
				offset := Offset{Partition: int32(message.Partition), Offset: message.Offset}
				offsets[message.WriterData.(int)] = offset
			}
		},
	}
	messages := []kafka.Message{}
	for index, item := range batch.Records {
		message := kafka.Message{Key: Decode(item.Key), Value: Decode(item.Value), WriterData: index}
		for _, header := range item.Headers {
			message.Headers = append(message.Headers, kafka.Header{Key: *header[0], Value: Decode(header[1])})
		}
		if item.Timestamp != nil {
			message.Time = time.UnixMilli(*item.Timestamp)
		}
		messages = append(messages, message)
	}
	Check(writer.WriteMessages(ctx, messages...))
	Check(writer.Close())
	if batch.RequiredAcks() == 0 {
		offsets = nil
	}
	Emit("produced", Fields{"topic": batch.Topic, "offsets": offsets})
}

func tell(message kafka.Message) {
	headers := []Header{}
	for _, header := range message.Headers {
		headers = append(headers, Header{Name: header.Key, Value: header.Value})
	}
	Tell(message.Topic, int32(message.Partition), message.Offset, message.Time, message.Key, message.Value, headers)
}

func read(ctx context.Context, bootstrap, topic string, partition int, offset int64, each func(kafka.Message)) {
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers: []string{bootstrap}, Topic: topic, Partition: partition, MaxWait: 200 * time.Millisecond,
	})
	defer reader.Close()
	Check(reader.SetOffset(offset))
	for {
		message, err := reader.ReadMessage(ctx)
		if errors.Is(err, context.Canceled) || errors.Is(err, kafka.ErrGenerationEnded) {
			return
		}
		Check(err)
		each(message)
	}
}

func consume(bootstrap string, arguments Arguments) {
	connection, err := kafka.Dial("tcp", bootstrap)
	Check(err)
	messages := make(chan kafka.Message)
	left := 0
	for topic, count := range arguments.Topics {
		left += count
		partitions, err := connection.ReadPartitions(topic)
		Check(err)
		for _, partition := range partitions {
			each := func(message kafka.Message) { messages <- message }
			go read(ctx, bootstrap, topic, partition.ID, kafka.FirstOffset, each)
		}
	}
	for ; left > 0; left-- {
		tell(<-messages)
	}
}

func member(bootstrap string, arguments Arguments) {
	topic := arguments.Topic
	start := kafka.LastOffset
	if arguments.Reset == "earliest" {
		start = kafka.FirstOffset
	}
	group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: arguments.Group, Brokers: []string{bootstrap}, Topics: []string{topic}, StartOffset: start,
		SessionTimeout: arguments.SessionTimeout(), HeartbeatInterval: 200 * time.Millisecond,
		RebalanceTimeout: 20 * time.Second, JoinGroupBackoff: 100 * time.Millisecond,
	})
	Check(err)
	positions := Positions{}
	current := atomic.Pointer[kafka.Generation]{}
	go func() {
		for {
			generation, err := group.Next(ctx)
			if errors.Is(err, kafka.ErrGroupClosed) {
				return
			}
			Check(err)
			current.Store(generation)
			all := []int32{}
			for _, assignment := range generation.Assignments[topic] {
				all = append(all, int32(assignment.ID))
			}
			positions.Assigned(all)
			for _, assignment := range generation.Assignments[topic] {
				generation.Start(func(ctx context.Context) {
					read(ctx, bootstrap, topic, assignment.ID, assignment.Offset, func(message kafka.Message) {
						positions.Consumed(int32(message.Partition), message.Offset)
						tell(message)
					})
				})
			}
		}
	}()
	OnCommands(func(string) {
		offsets := map[int]int64{}
		for partition, next := range positions.All() {
			offsets[int(partition)] = next
		}
		Check(current.Load().CommitOffsets(map[string]map[int]int64{topic: offsets}))
		Emit("committed", Fields{"offsets": offsets})
	})
	Check(group.Close())
	os.Exit(0)
}

func topics(bootstrap string, arguments Arguments) {
	topic := arguments.Topic
	client := &kafka.Client{Addr: kafka.TCP(bootstrap), Timeout: 30 * time.Second}
	described := func() *kafka.Topic {
		metadata, err := client.Metadata(ctx, &kafka.MetadataRequest{})
		Check(err)
		for _, known := range metadata.Topics {
			if known.Name == topic {
				return &known
			}
		}
		return nil
	}
	listed := func() bool { return described() != nil }
	partitions := func() int { return len(described().Partitions) }
	retention := func() string {
		response, err := client.DescribeConfigs(ctx, &kafka.DescribeConfigsRequest{
			Resources: []kafka.DescribeConfigRequestResource{
				{ResourceType: kafka.ResourceTypeTopic, ResourceName: topic, ConfigNames: []string{"retention.ms"}},
			},
		})
		Check(err)
		Check(response.Resources[0].Error)
		return response.Resources[0].ConfigEntries[0].ConfigValue
	}
	created, err := client.CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{{
		Topic: topic, NumPartitions: 3, ReplicationFactor: 1,
		ConfigEntries: []kafka.ConfigEntry{{ConfigName: "retention.ms", ConfigValue: "86400000"}},
	}}})
	Check(err)
	Check(created.Errors[topic])
	Step("created", true)
	Step("listed", Until(listed, func(there bool) bool { return there }))
	Step("partitions", partitions())
	Step("config", retention())
	altered, err := client.IncrementalAlterConfigs(ctx, &kafka.IncrementalAlterConfigsRequest{
		Resources: []kafka.IncrementalAlterConfigsRequestResource{{
			ResourceType: kafka.ResourceTypeTopic, ResourceName: topic,
			Configs: []kafka.IncrementalAlterConfigsRequestConfig{
				{Name: "retention.ms", Value: "3600000", ConfigOperation: kafka.ConfigOperationSet},
			},
		}},
	})
	Check(err)
	Check(altered.Resources[0].Error)
	Step("altered", Until(retention, func(value string) bool { return value != "86400000" }))
	grown, err := client.CreatePartitions(ctx, &kafka.CreatePartitionsRequest{
		Topics: []kafka.TopicPartitionsConfig{{Name: topic, Count: 5}},
	})
	Check(err)
	Check(grown.Errors[topic])
	Step("grown", Until(partitions, func(count int) bool { return count != 3 }))
	deleted, err := client.DeleteTopics(ctx, &kafka.DeleteTopicsRequest{Topics: []string{topic}})
	Check(err)
	Check(deleted.Errors[topic])
	Step("deleted", !Until(listed, func(there bool) bool { return !there }))
}

func main() {
	Main(map[string]func(string, Arguments){
		"version": Version("github.com/segmentio/kafka-go"),
		"produce": produce,
		"consume": consume,
		"member":  member,
		"topics":  topics,
	})
}
