from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaException,
    Producer,
    TopicPartition,
    libversion,
    version,
)
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
)

from protocol import Commands, Expected, Positions, decode, emit, headers_of, main, record, step, until


def produce(bootstrap, args):
    for batch in args["batches"]:
        topic = batch["topic"]
        idempotent = batch.get("idempotent", False)
        producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "compression.type": batch.get("codec", "none"),
                "enable.idempotence": idempotent,
                "acks": batch.get("acks", -1),
                "linger.ms": 20,
            }
        )
        offsets = [None] * len(batch["records"])

        def delivered(index):
            def keep(error, message):
                if error is not None:
                    raise KafkaException(error)
                offsets[index] = {"partition": message.partition(), "offset": message.offset()}

            return keep

        for index, item in enumerate(batch["records"]):
            # 0 lets the client tell the time.
            producer.produce(
                topic,
                partition=item.get("partition", -1),
                key=decode(item["key"]),
                value=decode(item["value"]),
                headers=headers_of(item) or None,
                timestamp=item.get("timestamp") or 0,
                on_delivery=delivered(index),
            )
        if producer.flush(30) > 0:
            raise RuntimeError("records were left in the queue")
        emit("produced", topic=topic, offsets=None if batch.get("acks") == 0 else offsets)


def tell(message):
    if message.error():
        raise KafkaException(message.error())
    record(
        message.topic(),
        message.partition(),
        message.offset(),
        message.timestamp()[1],
        message.key(),
        message.value(),
        message.headers(),
    )


def consume(bootstrap, args):
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": args["group"], "enable.auto.commit": False, "check.crcs": True})
    metadata = consumer.list_topics(timeout=30).topics
    consumer.assign(
        [
            TopicPartition(topic, partition, OFFSET_BEGINNING)
            for topic in args["topics"]
            for partition in metadata[topic].partitions
        ]
    )
    expected = Expected(args["topics"])
    while not expected.complete:
        message = consumer.poll(0.5)
        if message is not None:
            tell(message)
            expected.took(message.topic())
    consumer.close()


def member(bootstrap, args):
    settings = {
        "bootstrap.servers": bootstrap,
        "group.id": args["group"],
        "auto.offset.reset": args["reset"],
        "enable.auto.commit": False,
        "session.timeout.ms": args.get("sessionTimeoutMs", 6000),
        "heartbeat.interval.ms": 200,
        "partition.assignment.strategy": args.get("strategy", "range"),
        "topic.metadata.refresh.interval.ms": args.get("metadataMaxAgeMs", 300000),
    }
    if "maxPollIntervalMs" in args:
        settings["max.poll.interval.ms"] = args["maxPollIntervalMs"]
    consumer = Consumer(settings)
    commands = Commands()
    positions = Positions()

    def has(partitions):
        positions.assigned([partition.partition for partition in partitions])

    # Lost, as by one that did not poll for too long: nothing of them may be committed any more.
    consumer.subscribe(
        [args["topic"]],
        on_assign=lambda _, partitions: has(partitions),
        on_revoke=lambda _, partitions: has([]),
        on_lost=lambda _, partitions: has([]),
    )
    while True:
        command = commands.next()
        if command == "leave":
            break
        if command == "stall":
            commands.stall()
        if command == "commit":
            partitions = [TopicPartition(args["topic"], *entry) for entry in positions.next.items()]
            if partitions:
                consumer.commit(offsets=partitions, asynchronous=False)
            positions.committed()
        message = consumer.poll(0.1)
        if message is None:
            continue
        if message.error() and not message.error().fatal():
            emit("error", name=message.error().name())
            continue
        positions.consumed(message.partition(), message.offset())
        tell(message)
    consumer.close()


def topics(bootstrap, args):
    topic = args["topic"]
    admin = AdminClient({"bootstrap.servers": bootstrap})

    def done(futures):
        for future in futures.values():
            future.result(timeout=30)
        return True

    def resource(**more):
        return ConfigResource(ConfigResource.Type.TOPIC, topic, **more)

    def retention():
        [future] = admin.describe_configs([resource()]).values()
        return future.result(timeout=30)["retention.ms"].value

    def listed():
        return topic in admin.list_topics(timeout=30).topics

    def partitions():
        return len(admin.list_topics(topic, timeout=30).topics[topic].partitions)

    new = NewTopic(topic, num_partitions=3, replication_factor=1, config={"retention.ms": "86400000"})
    step("created", done(admin.create_topics([new])))
    step("listed", until(listed, bool))
    step("partitions", partitions())
    step("config", retention())
    entry = ConfigEntry("retention.ms", "3600000", incremental_operation=AlterConfigOpType.SET)
    done(admin.incremental_alter_configs([resource(incremental_configs=[entry])]))
    step("altered", until(retention, lambda value: value != "86400000"))
    done(admin.create_partitions([NewPartitions(topic, 5)]))
    step("grown", until(partitions, lambda count: count != 3))
    done(admin.delete_topics([topic]))
    step("deleted", not until(listed, lambda there: not there))


main(
    {
        "version": lambda: emit("version", version=f"{version()[0] if isinstance(version(), tuple) else version()}"
                                f" (librdkafka {libversion()[0]})"),
        "produce": produce,
        "consume": consume,
        "member": member,
        "topics": topics,
    }
)
