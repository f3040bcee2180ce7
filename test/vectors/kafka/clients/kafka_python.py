import os
import kafka
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, NewPartitions, NewTopic

print('kafka-python', kafka.__version__)
base = {'bootstrap_servers': os.environ['BOOTSTRAP'], 'client_id': 'recorded'}
topic = group = 'recorded-kafka-python'
admin = KafkaAdminClient(**base)
admin.create_topics([NewTopic(topic, 2, 1)])
admin.create_partitions({topic: NewPartitions(3)})
admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
admin.describe_cluster()
producer = KafkaProducer(**base, compression_type='gzip')
producer.send(topic, key=b'key', value=b'value', headers=[('header', b'text')])
producer.send(topic, value=None, key=b'key')
producer.flush()
producer.close()
consumer = KafkaConsumer(topic, **base, group_id=group, auto_offset_reset='earliest', heartbeat_interval_ms=500)
next(consumer)
consumer.commit()
consumer.poll(timeout_ms=3000)
admin.list_groups() if hasattr(admin, 'list_groups') else admin.list_consumer_groups()
admin.describe_groups([group]) if hasattr(admin, 'describe_groups') else admin.describe_consumer_groups([group])
consumer.committed(TopicPartition(topic, 0))
consumer.offsets_for_times({TopicPartition(topic, 0): 1})
consumer.close()
admin.delete_records({TopicPartition(topic, 0): 0})
admin.delete_groups([group]) if hasattr(admin, 'delete_groups') else admin.delete_consumer_groups([group])
admin.delete_topics([topic])
admin.close()
