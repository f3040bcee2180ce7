// The scenarios with sarama.
package main

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/IBM/sarama"

	. "mykafka/interop/protocol"
)

var codecs = map[string]sarama.CompressionCodec{
	"":       sarama.CompressionNone,
	"none":   sarama.CompressionNone,
	"gzip":   sarama.CompressionGZIP,
	"snappy": sarama.CompressionSnappy,
	"lz4":    sarama.CompressionLZ4,
	"zstd":   sarama.CompressionZSTD,
}

func produce(bootstrap string, arguments Arguments) {
	for _, batch := range arguments.Batches {
		produceBatch(bootstrap, batch)
	}
}

func encoder(text *string) sarama.Encoder {
	if text == nil {
		return nil
	}
	return sarama.ByteEncoder(Decode(text))
}

func produceBatch(bootstrap string, batch Batch) {
	config := sarama.NewConfig()
	config.Producer.Partitioner = sarama.NewManualPartitioner
	config.Producer.Compression = codecs[batch.Codec]
	config.Producer.RequiredAcks = sarama.RequiredAcks(batch.RequiredAcks())
	config.Producer.Return.Successes = true
	config.Producer.Flush.Frequency = 20 * time.Millisecond
	if batch.Idempotent {
		config.Producer.Idempotent = true
		config.Net.MaxOpenRequests = 1
	}
	producer, err := sarama.NewSyncProducer([]string{bootstrap}, config)
	Check(err)
	messages := []*sarama.ProducerMessage{}
	for _, item := range batch.Records {
		message := &sarama.ProducerMessage{Topic: batch.Topic, Partition: item.Partition}
		message.Key, message.Value = encoder(item.Key), encoder(item.Value)
		for _, header := range item.Headers {
			message.Headers = append(message.Headers,
				sarama.RecordHeader{Key: []byte(*header[0]), Value: Decode(header[1])})
		}
		if item.Timestamp != nil {
			message.Timestamp = time.UnixMilli(*item.Timestamp)
		}
		messages = append(messages, message)
	}
	Check(producer.SendMessages(messages))
	offsets := []Offset{}
	for _, message := range messages {
		offsets = append(offsets, Offset{Partition: message.Partition, Offset: message.Offset})
	}
	if batch.RequiredAcks() == 0 {
		offsets = nil
	}
	Emit("produced", Fields{"topic": batch.Topic, "offsets": offsets})
	Check(producer.Close())
}

func tell(message *sarama.ConsumerMessage) {
	headers := []Header{}
	for _, header := range message.Headers {
		headers = append(headers, Header{Name: string(header.Key), Value: header.Value})
	}
	Tell(message.Topic, message.Partition, message.Offset, message.Timestamp, message.Key, message.Value, headers)
}

func consume(bootstrap string, arguments Arguments) {
	consumer, err := sarama.NewConsumer([]string{bootstrap}, sarama.NewConfig())
	Check(err)
	messages := make(chan *sarama.ConsumerMessage)
	left := 0
	for topic, count := range arguments.Topics {
		left += count
		partitions, err := consumer.Partitions(topic)
		Check(err)
		for _, partition := range partitions {
			reader, err := consumer.ConsumePartition(topic, partition, sarama.OffsetOldest)
			Check(err)
			go func() {
				for message := range reader.Messages() {
					messages <- message
				}
			}()
		}
	}
	for ; left > 0; left-- {
		tell(<-messages)
	}
}

// A handler of one member: sarama calls it for each generation of the group.
type handler struct {
	topic     string
	positions Positions
	session   atomic.Value
}

func (h *handler) Setup(session sarama.ConsumerGroupSession) error {
	h.session.Store(session)
	h.positions.Assigned(session.Claims()[h.topic])
	return nil
}

func (h *handler) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (h *handler) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for {
		select {
		case message, open := <-claim.Messages():
			if !open {
				return nil
			}
			h.positions.Consumed(message.Partition, message.Offset)
			tell(message)
		case <-session.Context().Done():
			return nil
		}
	}
}

func member(bootstrap string, arguments Arguments) {
	config := sarama.NewConfig()
	config.Consumer.Offsets.AutoCommit.Enable = false
	config.Consumer.Offsets.Initial = sarama.OffsetNewest
	if arguments.Reset == "earliest" {
		config.Consumer.Offsets.Initial = sarama.OffsetOldest
	}
	config.Consumer.Group.Session.Timeout = arguments.SessionTimeout()
	config.Consumer.Group.Heartbeat.Interval = 200 * time.Millisecond
	group, err := sarama.NewConsumerGroup([]string{bootstrap}, arguments.Group, config)
	Check(err)
	ctx, cancel := context.WithCancel(context.Background())
	handler := &handler{topic: arguments.Topic}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			err := group.Consume(ctx, []string{arguments.Topic}, handler)
			if err != nil && !errors.Is(err, context.Canceled) {
				Check(err)
			}
		}
	}()
	OnCommands(func(string) {
		session := handler.session.Load().(sarama.ConsumerGroupSession)
		for partition, next := range handler.positions.All() {
			session.MarkOffset(arguments.Topic, partition, next, "")
		}
		session.Commit()
		Emit("committed", Fields{"offsets": handler.positions.All()})
	})
	cancel()
	<-ended
	Check(group.Close())
	os.Exit(0)
}

func topics(bootstrap string, arguments Arguments) {
	topic := arguments.Topic
	admin, err := sarama.NewClusterAdmin([]string{bootstrap}, sarama.NewConfig())
	Check(err)
	listed := func() bool {
		all, err := admin.ListTopics()
		Check(err)
		_, there := all[topic]
		return there
	}
	partitions := func() int {
		described, err := admin.DescribeTopics([]string{topic})
		Check(err)
		return len(described[0].Partitions)
	}
	retention := func() string {
		entries, err := admin.DescribeConfig(sarama.ConfigResource{Type: sarama.TopicResource, Name: topic})
		Check(err)
		for _, entry := range entries {
			if entry.Name == "retention.ms" {
				return entry.Value
			}
		}
		return ""
	}
	before, after := "86400000", "3600000"
	Check(admin.CreateTopic(topic, &sarama.TopicDetail{
		NumPartitions: 3, ReplicationFactor: 1, ConfigEntries: map[string]*string{"retention.ms": &before},
	}, false))
	Step("created", true)
	Step("listed", Until(listed, func(there bool) bool { return there }))
	Step("partitions", partitions())
	Step("config", retention())
	entries := map[string]sarama.IncrementalAlterConfigsEntry{
		"retention.ms": {Operation: sarama.IncrementalAlterConfigsOperationSet, Value: &after},
	}
	Check(admin.IncrementalAlterConfig(sarama.TopicResource, topic, entries, false))
	Step("altered", Until(retention, func(value string) bool { return value != before }))
	Check(admin.CreatePartitions(topic, 5, nil, false))
	Step("grown", Until(partitions, func(count int) bool { return count != 3 }))
	Check(admin.DeleteTopic(topic))
	Step("deleted", !Until(listed, func(there bool) bool { return !there }))
	Check(admin.Close())
}

func main() {
	Main(map[string]func(string, Arguments){
		"version": Version("github.com/IBM/sarama"),
		"produce": produce,
		"consume": consume,
		"member":  member,
		"topics":  topics,
	})
}
