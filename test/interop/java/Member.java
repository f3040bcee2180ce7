import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A member of a group, which commits, stalls and leaves as it is told. */
final class Member implements ConsumerRebalanceListener {
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final String topic;
  private final BlockingQueue<String> commands = Protocol.commands();
  private final Map<Integer, Long> next = new HashMap<>();

  private Member(KafkaConsumer<byte[], byte[]> consumer, String topic) {
    this.consumer = consumer;
    this.topic = topic;
  }

  static void run(String bootstrap, JsonNode arguments) throws Exception {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("group.id", arguments.get("group").asText());
    settings.put("auto.offset.reset", arguments.get("reset").asText());
    settings.put("enable.auto.commit", false);
    settings.put("session.timeout.ms", arguments.path("sessionTimeoutMs").asInt(6000));
    settings.put("heartbeat.interval.ms", 200);
    settings.put("max.poll.interval.ms", arguments.path("maxPollIntervalMs").asInt(300000));
    settings.put("metadata.max.age.ms", arguments.path("metadataMaxAgeMs").asInt(300000));
    if (arguments.has("instanceId")) settings.put("group.instance.id", arguments.get("instanceId").asText());
    try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      new Member(consumer, arguments.get("topic").asText()).run();
    }
  }

  private void run() throws InterruptedException {
    consumer.subscribe(List.of(topic), this);
    for (; ; ) {
      String command = commands.poll();
      if ("leave".equals(command)) return;
      if ("commit".equals(command)) commit();
      if ("stall".equals(command)) stall();
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
        next.put(record.partition(), record.offset() + 1);
        Protocol.tell(record);
      }
    }
  }

  private void commit() {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    next.forEach((partition, at) -> offsets.put(new TopicPartition(topic, partition), new OffsetAndMetadata(at)));
    consumer.commitSync(offsets);
    ObjectNode event = Protocol.event("committed");
    ObjectNode told = event.putObject("offsets");
    next.forEach((partition, at) -> told.put(String.valueOf(partition), at));
    Protocol.emit(event);
  }

  private void stall() throws InterruptedException {
    Protocol.emit(Protocol.event("stalled"));
    while (!"resume".equals(commands.take())) continue;
    Protocol.emit(Protocol.event("resumed"));
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> added) {
    tellAssignment();
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
    revoked.forEach((partition) -> next.remove(partition.partition()));
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> lost) {
    onPartitionsRevoked(lost);
    Protocol.emit(Protocol.event("lost"));
  }

  private void tellAssignment() {
    Protocol.assigned(consumer.assignment().stream().map(TopicPartition::partition).toList());
  }
}
