import asyncio, os
import aiokafka
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

base = {'bootstrap_servers': os.environ['BOOTSTRAP'], 'client_id': 'recorded'}
topic = group = 'recorded-aiokafka'


async def main():
    admin = AIOKafkaAdminClient(**base)
    await admin.start()
    await admin.create_topics([NewTopic(topic, 2, 1)])
    await admin.create_partitions({topic: NewPartitions(3)})
    await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
    for extra in ({}, {'enable_idempotence': True, 'compression_type': 'gzip'}):
        producer = AIOKafkaProducer(**base, **extra)
        await producer.start()
        await producer.send_and_wait(topic, key=b'key', value=b'value', headers=[('header', b'text')])
        await producer.stop()
    consumer = AIOKafkaConsumer(topic, **base, group_id=group, auto_offset_reset='earliest', heartbeat_interval_ms=500)
    await consumer.start()
    await consumer.getone()
    await consumer.commit()
    await asyncio.sleep(2)
    await admin.list_consumer_groups()
    await admin.describe_consumer_groups([group])
    await admin.list_consumer_group_offsets(group)
    await consumer.stop()
    await admin.delete_topics([topic])
    await admin.close()


print('aiokafka', aiokafka.__version__)
asyncio.run(main())
