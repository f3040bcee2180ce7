from kafka import ConsumerRebalanceListener, KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka import __version__ as version
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.structs import OffsetAndMetadata

from protocol import Commands, Expected, Positions, decode, emit, headers_of, main, record, step, until


def produce(bootstrap, args):
    for batch in args["batches"]:
        codec = batch.get("codec", "none")
        acks = batch.get("acks", -1)
        producer = KafkaProducer(
            bootstrap_servers=bootstrap,
            compression_type=None if codec == "none" else codec,
            enable_idempotence=batch.get("idempotent", False),
            acks="all" if acks == -1 else acks,
            linger_ms=20,
        )
        sent = [
            producer.send(
                batch["topic"],
                partition=item.get("partition"),
                key=decode(item["key"]),
                value=decode(item["value"]),
                headers=headers_of(item),
                timestamp_ms=item.get("timestamp"),
            )
            for item in batch["records"]
        ]
        producer.flush()
        delivered = [future.get(timeout=30) for future in sent]
        offsets = [{"partition": result.partition, "offset": result.offset} for result in delivered]
        emit("produced", topic=batch["topic"], offsets=None if acks == 0 else offsets)
        producer.close()


def tell(message):
    record(
        message.topic,
        message.partition,
        message.offset,
        message.timestamp,
        message.key,
        message.value,
        message.headers,
    )


def consume(bootstrap, args):
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest", enable_auto_commit=False)
    consumer.assign(
        [
            TopicPartition(topic, partition)
            for topic in args["topics"]
            for partition in until(lambda topic=topic: consumer.partitions_for_topic(topic), bool)
        ]
    )
    expected = Expected(args["topics"])
    while not expected.complete:
        for messages in consumer.poll(timeout_ms=500).values():
            for message in messages:
                tell(message)
                expected.took(message.topic)
    consumer.close()


class Listener(ConsumerRebalanceListener):
    def __init__(self, consumer, positions):
        self.consumer = consumer
        self.positions = positions

    def on_partitions_revoked(self, revoked):
        pass

    def on_partitions_assigned(self, assigned):
        self.positions.assigned([partition.partition for partition in assigned])


def member(bootstrap, args):
    topic = args["topic"]
    consumer = KafkaConsumer(
        bootstrap_servers=bootstrap,
        group_id=args["group"],
        auto_offset_reset=args["reset"],
        enable_auto_commit=False,
        session_timeout_ms=args.get("sessionTimeoutMs", 6000),
        heartbeat_interval_ms=200,
    )
    commands = Commands()
    positions = Positions()
    consumer.subscribe([topic], listener=Listener(consumer, positions))
    while True:
        command = commands.next()
        if command == "leave":
            break
        if command == "commit":
            consumer.commit(
                {
                    TopicPartition(topic, partition): OffsetAndMetadata(offset, "", -1)
                    for partition, offset in positions.next.items()
                }
            )
            positions.committed()
        for messages in consumer.poll(timeout_ms=100).values():
            for message in messages:
                positions.consumed(message.partition, message.offset)
                tell(message)
    consumer.close(autocommit=False)


def topics(bootstrap, args):
    topic = args["topic"]
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)

    def retention():
        described = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)], config_filter="all")
        return described["topic"][topic]["retention.ms"]["value"]

    def listed():
        return topic in admin.list_topics()

    def partitions():
        return len(admin.describe_topics([topic])[0]["partitions"])

    admin.create_topics(
        {topic: {"num_partitions": 3, "replication_factor": 1, "configs": {"retention.ms": "86400000"}}}
    )
    step("created", True)
    step("listed", until(listed, bool))
    step("partitions", partitions())
    step("config", retention())
    admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {"retention.ms": "3600000"})])
    step("altered", until(retention, lambda value: value != "86400000"))
    admin.create_partitions({topic: 5})
    step("grown", until(partitions, lambda count: count != 3))
    admin.delete_topics([topic])
    step("deleted", not until(listed, lambda there: not there))
    admin.close()


main(
    {
        "version": lambda: emit("version", version=version),
        "produce": produce,
        "consume": consume,
        "member": member,
        "topics": topics,
    }
)
