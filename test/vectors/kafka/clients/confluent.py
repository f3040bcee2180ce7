import os, time
import confluent_kafka
from confluent_kafka import Consumer, Producer, TopicPartition, ConsumerGroupTopicPartitions, TopicCollection
from confluent_kafka.admin import (AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewPartitions, NewTopic,
                                   OffsetSpec, ResourceType)

print('confluent-kafka', confluent_kafka.version() if isinstance(confluent_kafka.version(), str) else confluent_kafka.version()[0],
      'librdkafka', confluent_kafka.libversion()[0])
base = {'bootstrap.servers': os.environ['BOOTSTRAP'], 'client.id': 'recorded'}
topic = group = 'recorded-librdkafka'
admin = AdminClient(base)


def done(futures):
    for future in (futures.values() if isinstance(futures, dict) else [futures]):
        future.result(20)


done(admin.create_topics([NewTopic(topic, 2, 1)]))
done(admin.create_partitions([NewPartitions(topic, 3)]))
resource = ConfigResource(ResourceType.TOPIC, topic)
done(admin.describe_configs([resource]))
done(admin.alter_configs([ConfigResource(ResourceType.TOPIC, topic, set_config={'retention.ms': '100000'})]))
done(admin.incremental_alter_configs([ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[
    ConfigEntry('retention.ms', '200000', incremental_operation=AlterConfigOpType.SET)])]))
done(admin.describe_cluster())
done(admin.describe_topics(TopicCollection([topic])))
for extra in ({}, {'enable.idempotence': True, 'compression.type': 'lz4'}):
    producer = Producer({**base, **extra})
    producer.produce(topic, key='key', value='value', headers={'header': b'text'})
    producer.produce(topic, value=None)
    producer.flush(20)
consumer = Consumer({**base, 'group.id': group, 'auto.offset.reset': 'earliest', 'group.instance.id': 'static',
                     'session.timeout.ms': 10000, 'heartbeat.interval.ms': 1000})
consumer.subscribe([topic])
while (message := consumer.poll(1)) is None or message.error():
    pass
consumer.commit(message, asynchronous=False)
consumer.poll(3)
done(admin.list_consumer_groups())
done(admin.describe_consumer_groups([group]))
consumer.committed([TopicPartition(topic, 0)], 10)
consumer.offsets_for_times([TopicPartition(topic, 0, 1)], 10)
consumer.close()
done(admin.list_offsets({TopicPartition(topic, 0): OffsetSpec.max_timestamp()}))
done(admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)]))
done(admin.delete_records([TopicPartition(topic, 0, 0)]))
time.sleep(10)
done(admin.delete_consumer_groups([group]))
done(admin.delete_topics([topic]))
