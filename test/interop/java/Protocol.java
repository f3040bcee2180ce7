import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Base64;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** What every client program speaks: see ../node/protocol.mjs. */
final class Protocol {
  static final ObjectMapper JSON = new ObjectMapper();

  private Protocol() {}

  static ObjectNode event(String name) {
    return JSON.createObjectNode().put("event", name);
  }

  static synchronized void emit(ObjectNode event) {
    System.out.println(event);
    System.out.flush();
  }

  static void step(String name, Object value) {
    emit(event("step").put("step", name).putPOJO("value", value));
  }

  static byte[] decode(JsonNode text) {
    return text == null || text.isNull() ? null : Base64.getDecoder().decode(text.asText());
  }

  static String encode(byte[] bytes) {
    return bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
  }

  static void tell(ConsumerRecord<byte[], byte[]> read) {
    ObjectNode record = event("record");
    record.put("topic", read.topic()).put("partition", read.partition()).put("offset", read.offset());
    record.put("timestamp", read.timestamp()).put("key", encode(read.key())).put("value", encode(read.value()));
    ArrayNode headers = record.putArray("headers");
    for (Header header : read.headers()) headers.addArray().add(header.key()).add(encode(header.value()));
    emit(record);
  }

  static void assigned(Iterable<Integer> partitions) {
    TreeSet<Integer> sorted = new TreeSet<>();
    partitions.forEach(sorted::add);
    ArrayNode list = JSON.createArrayNode();
    sorted.forEach(list::add);
    emit(event("assigned").set("partitions", list));
  }

  /** The lines of standard input, for a program that polls. */
  static BlockingQueue<String> commands() {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    Thread reader =
        new Thread(
            () -> {
              try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in))) {
                for (String line = input.readLine(); line != null; line = input.readLine()) lines.add(line.trim());
              } catch (IOException error) {
                error.printStackTrace();
              }
            });
    reader.setDaemon(true);
    reader.start();
    return lines;
  }

  static <T> T until(Callable<T> ask, Predicate<T> willDo) throws Exception {
    for (; ; ) {
      T answer = ask.call();
      if (willDo.test(answer)) return answer;
      Thread.sleep(50);
    }
  }
}
