import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The scenarios with Apache Kafka's own client. */
public final class Client {
  private Client() {}

  public static void main(String[] args) throws Exception {
    JsonNode arguments = args.length < 3 ? null : Protocol.JSON.readTree(args[2]);
    switch (args[0]) {
      case "version" -> Protocol.emit(Protocol.event("version").put("version", version()));
      case "produce" -> {
        for (JsonNode batch : arguments.get("batches")) produce(args[1], batch);
      }
      case "consume" -> consume(args[1], arguments);
      case "member" -> Member.run(args[1], arguments);
      case "topics" -> Topics.run(args[1], arguments.get("topic").asText());
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static String version() throws IOException {
    Properties properties = new Properties();
    try (InputStream stream = KafkaProducer.class.getResourceAsStream("/kafka/kafka-version.properties")) {
      properties.load(stream);
    }
    return properties.getProperty("version");
  }

  private static void produce(String bootstrap, JsonNode batch) throws Exception {
    boolean idempotent = batch.path("idempotent").asBoolean(false);
    int acks = batch.path("acks").asInt(-1);
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("compression.type", batch.path("codec").asText("none"));
    settings.put("enable.idempotence", idempotent);
    settings.put("acks", String.valueOf(acks));
    settings.put("linger.ms", 20);
    String topic = batch.get("topic").asText();
    try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (JsonNode item : batch.get("records")) sent.add(producer.send(record(topic, item)));
      producer.flush();
      ObjectNode event = Protocol.event("produced").put("topic", topic);
      ArrayNode offsets = Protocol.JSON.createArrayNode();
      for (Future<RecordMetadata> future : sent) {
        RecordMetadata metadata = future.get();
        offsets.addObject().put("partition", metadata.partition()).put("offset", metadata.offset());
      }
      if (acks == 0) event.putNull("offsets");
      else event.set("offsets", offsets);
      Protocol.emit(event);
    }
  }

  private static ProducerRecord<byte[], byte[]> record(String topic, JsonNode item) {
    Integer partition = item.hasNonNull("partition") ? item.get("partition").asInt() : null;
    Long timestamp = item.hasNonNull("timestamp") ? item.get("timestamp").asLong() : null;
    byte[] key = Protocol.decode(item.get("key"));
    var record = new ProducerRecord<>(topic, partition, timestamp, key, Protocol.decode(item.get("value")));
    for (JsonNode header : item.path("headers")) {
      record.headers().add(header.get(0).asText(), Protocol.decode(header.get(1)));
    }
    return record;
  }

  private static void consume(String bootstrap, JsonNode arguments) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("enable.auto.commit", false);
    Map<String, Integer> left = new HashMap<>();
    arguments.get("topics").properties().forEach((topic) -> left.put(topic.getKey(), topic.getValue().asInt()));
    try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions = new ArrayList<>();
      for (String topic : left.keySet()) {
        consumer.partitionsFor(topic).forEach((info) -> partitions.add(new TopicPartition(topic, info.partition())));
      }
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (left.values().stream().anyMatch((count) -> count > 0)) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
          Protocol.tell(record);
          left.merge(record.topic(), -1, Integer::sum);
        }
      }
    }
  }
}
