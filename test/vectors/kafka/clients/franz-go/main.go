package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

const topic = "recorded-franz-go"

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == "github.com/twmb/franz-go" {
				fmt.Println("franz-go", module.Version)
			}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(os.Getenv("BOOTSTRAP")), kgo.ClientID("recorded"),
		kgo.ConsumeTopics(topic), kgo.ConsumerGroup(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.HeartbeatInterval(500*time.Millisecond), kgo.DisableAutoCommit())
	must(err)
	admin := kadm.NewClient(client)
	_, err = admin.CreateTopics(ctx, 2, 1, nil, topic)
	must(err)
	_, err = admin.CreatePartitions(ctx, 1, topic)
	must(err)
	value := "200000"
	_, err = admin.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "retention.ms", Value: &value}}, topic)
	must(err)
	_, err = admin.AlterTopicConfigsState(ctx, []kadm.AlterConfig{{Name: "retention.ms", Value: &value}}, topic)
	must(err)
	_, err = admin.DescribeTopicConfigs(ctx, topic)
	must(err)
	_, err = admin.DescribeAllLogDirs(ctx, nil)
	must(err)
	record := &kgo.Record{Topic: topic, Key: []byte("key"), Value: []byte("value"),
		Headers: []kgo.RecordHeader{{Key: "header", Value: []byte("text")}}}
	must(client.ProduceSync(ctx, record, &kgo.Record{Topic: topic}).FirstErr())
	must(client.PollFetches(ctx).Err())
	must(client.CommitUncommittedOffsets(ctx))
	time.Sleep(2 * time.Second)
	_, err = admin.ListEndOffsets(ctx, topic)
	must(err)
	_, err = admin.ListGroups(ctx)
	must(err)
	_, err = admin.DescribeGroups(ctx, topic)
	must(err)
	_, err = admin.FetchOffsets(ctx, topic)
	must(err)
	must(client.LeaveGroupContext(ctx))
	offsets := kadm.Offsets{}
	offsets.AddOffset(topic, 0, 0, -1)
	_, err = admin.DeleteRecords(ctx, offsets)
	must(err)
	set := kadm.TopicsSet{}
	set.Add(topic, 0)
	_, err = admin.DeleteOffsets(ctx, topic, set)
	must(err)
	_, err = admin.DeleteGroups(ctx, topic)
	must(err)
	_, err = admin.DeleteTopics(ctx, topic)
	must(err)
	client.Close()
}
