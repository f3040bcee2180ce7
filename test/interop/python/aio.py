import asyncio

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRebalanceListener, TopicPartition
from aiokafka import __version__ as version
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from protocol import Commands, Expected, Positions, decode, emit, headers_of, main, record, step


async def until(ask, will_do):
    while True:
        answer = await ask()
        if will_do(answer):
            return answer
        await asyncio.sleep(0.05)


async def produce(bootstrap, args):
    for batch in args["batches"]:
        codec = batch.get("codec", "none")
        acks = batch.get("acks", -1)
        producer = AIOKafkaProducer(
            bootstrap_servers=bootstrap,
            compression_type=None if codec == "none" else codec,
            enable_idempotence=batch.get("idempotent", False),
            acks="all" if acks == -1 else acks,
            linger_ms=20,
        )
        await producer.start()
        sent = [
            await producer.send(
                batch["topic"],
                partition=item.get("partition"),
                key=decode(item["key"]),
                value=decode(item["value"]),
                headers=headers_of(item),
                timestamp_ms=item.get("timestamp"),
            )
            for item in batch["records"]
        ]
        delivered = await asyncio.gather(*sent)
        offsets = [result and {"partition": result.partition, "offset": result.offset} for result in delivered]
        emit("produced", topic=batch["topic"], offsets=None if acks == 0 else offsets)
        await producer.stop()


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


async def consume(bootstrap, args):
    consumer = AIOKafkaConsumer(
        *args["topics"],
        bootstrap_servers=bootstrap,
        group_id=args["group"],
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    await consumer.start()
    expected = Expected(args["topics"])
    while not expected.complete:
        message = await consumer.getone()
        tell(message)
        expected.took(message.topic)
    await consumer.stop()


class Listener(ConsumerRebalanceListener):
    def __init__(self, positions):
        self.positions = positions

    def on_partitions_revoked(self, revoked):
        pass

    def on_partitions_assigned(self, assigned):
        self.positions.assigned([partition.partition for partition in assigned])


async def member(bootstrap, args):
    topic = args["topic"]
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap,
        group_id=args["group"],
        auto_offset_reset=args["reset"],
        enable_auto_commit=False,
        session_timeout_ms=args.get("sessionTimeoutMs", 6000),
        heartbeat_interval_ms=200,
    )
    commands = Commands()
    positions = Positions()
    consumer.subscribe([topic], listener=Listener(positions))
    await consumer.start()
    while True:
        command = commands.next()
        if command == "leave":
            break
        if command == "commit":
            await consumer.commit(
                {TopicPartition(topic, partition): offset for partition, offset in positions.next.items()}
            )
            positions.committed()
        for messages in (await consumer.getmany(timeout_ms=100)).values():
            for message in messages:
                positions.consumed(message.partition, message.offset)
                tell(message)
    await consumer.stop()


async def topics(bootstrap, args):
    topic = args["topic"]
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()

    def succeeded(response):
        results = response.to_object()
        errors = next(value for key, value in results.items() if key.startswith("topic"))
        for result in errors:
            if result["error_code"] != 0:
                raise RuntimeError(str(result))

    async def retention():
        [response] = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
        entries = response.to_object()["resources"][0]["config_entries"]
        return next(entry for entry in entries if entry["config_names"] == "retention.ms")["config_value"]

    async def listed():
        return topic in await admin.list_topics()

    async def partitions():
        return len((await admin.describe_topics([topic]))[0]["partitions"])

    new = NewTopic(name=topic, num_partitions=3, replication_factor=1, topic_configs={"retention.ms": "86400000"})
    succeeded(await admin.create_topics([new]))
    step("created", True)
    step("listed", await until(listed, bool))
    step("partitions", await partitions())
    step("config", await retention())
    await admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {"retention.ms": "3600000"})])
    step("altered", await until(retention, lambda value: value != "86400000"))
    await admin.create_partitions({topic: NewPartitions(5)})
    step("grown", await until(partitions, lambda count: count != 3))
    await admin.delete_topics([topic])
    step("deleted", not await until(listed, lambda there: not there))
    await admin.close()


def running(scenario):
    return lambda bootstrap, args: asyncio.run(scenario(bootstrap, args))


main(
    {
        "version": lambda: emit("version", version=version),
        "produce": running(produce),
        "consume": running(consume),
        "member": running(member),
        "topics": running(topics),
    }
)
