import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecords.RecordFilter;
import org.apache.kafka.common.record.MemoryRecords.RecordFilter.BatchRetention;
import org.apache.kafka.common.record.MemoryRecords.RecordFilter.BatchRetentionResult;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.AppInfoParser;
import org.apache.kafka.common.utils.BufferSupplier;

/**
 * Writes what a compaction leaves of record batches: the batches are built, and filtered, by the Java client, which is
 * also what a broker's cleaner does it with. Which records stay is asked of the map of a vector, as the cleaner does.
 */
public final class CleanedBatches {
    private static final long NOW = 1_800_000_000_000L;
    private static final long RETENTION = 86_400_000L;
    private static final long TIME = 1_700_000_000_000L;
    private static final String LINE = "    {\"name\": \"%s\", \"source\": \"%s\", \"records\": \"%s\", \"last\": \"%s\", "
        + "\"knownTo\": %d, \"now\": %d, \"horizon\": %d, \"keepEmpty\": %d, \"result\": \"%s\", \"left\": \"%s\"}";

    private record Rec(long timestamp, String key, String value, Header... headers) {}

    private static final List<String> lines = new ArrayList<>();

    private Compression compression = Compression.NONE;
    private TimestampType type = TimestampType.CREATE_TIME;
    private long producerId = -1;
    private short epoch = -1;
    private int sequence = -1;
    private boolean transactional;
    private long baseOffset = 100;
    private long knownTo = 1000;
    private long now = NOW;
    private boolean keepEmpty;

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] rest(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private byte[] build(Rec... records) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1 << 16), RecordBatch.CURRENT_MAGIC_VALUE,
            compression, type, baseOffset, NOW - 5000, producerId, epoch, sequence, transactional, 7);
        for (Rec record : records) {
            builder.append(record.timestamp, bytes(record.key), bytes(record.value), record.headers);
        }
        return rest(builder.build().buffer());
    }

    private byte[] filter(byte[] source, Map<String, Long> last) {
        MemoryRecords records = MemoryRecords.readableRecords(ByteBuffer.wrap(source));
        RecordFilter filter = new RecordFilter(now, RETENTION) {
            @Override
            protected BatchRetentionResult checkBatchRetention(RecordBatch batch) {
                return new BatchRetentionResult(keepEmpty ? BatchRetention.RETAIN_EMPTY : BatchRetention.DELETE_EMPTY, false);
            }

            @Override
            protected boolean shouldRetainRecord(RecordBatch batch, Record record) {
                if (record.offset() >= knownTo) return true;
                if (!record.hasKey()) return false;
                String key = StandardCharsets.UTF_8.decode(record.key()).toString();
                boolean tombstoneStays = batch.deleteHorizonMs().isEmpty() || now < batch.deleteHorizonMs().getAsLong();
                return record.offset() >= last.getOrDefault(key, -1L) && (record.hasValue() || tombstoneStays);
            }
        };
        ByteBuffer into = ByteBuffer.allocate(1 << 16);
        ByteBuffer out = records.filterTo(new TopicPartition("t", 0), filter, into, Integer.MAX_VALUE, BufferSupplier.create())
            .outputBuffer();
        out.flip();
        return rest(out);
    }

    /** The records of a batch, decompressed. */
    private byte[] section(byte[] batch) throws IOException {
        if (batch.length <= 61) return new byte[0];
        byte[] records = Arrays.copyOfRange(batch, 61, batch.length);
        if ((batch[22] & 7) == 0) return records;
        return new GZIPInputStream(new ByteArrayInputStream(records)).readAllBytes();
    }

    private byte[] vector(String name, Map<String, Long> last, byte[] source) throws IOException {
        byte[] result = filter(source, last);
        ByteArrayOutputStream map = new ByteArrayOutputStream();
        for (Map.Entry<String, Long> entry : new TreeMap<>(last).entrySet()) {
            map.write(entry.getKey().length());
            map.write(bytes(entry.getKey()));
            map.write(ByteBuffer.allocate(8).putLong(entry.getValue()).array());
        }
        HexFormat hex = HexFormat.of();
        lines.add(LINE.formatted(name, hex.formatHex(source), hex.formatHex(section(source)), hex.formatHex(map.toByteArray()),
            knownTo, now, now + RETENTION, keepEmpty ? 1 : 0, hex.formatHex(result), hex.formatHex(section(result))));
        return result;
    }

    private byte[] vector(String name, Map<String, Long> last, Rec... records) throws IOException {
        return vector(name, last, build(records));
    }

    private CleanedBatches producer() {
        producerId = 4242;
        epoch = 3;
        sequence = 77;
        return this;
    }

    private CleanedBatches gzip() {
        compression = Compression.gzip().build();
        return this;
    }

    private CleanedBatches appendTime() {
        type = TimestampType.LOG_APPEND_TIME;
        return this;
    }

    public static void main(String[] arguments) throws IOException {
        Rec a = new Rec(TIME, "a", "1");
        Rec b = new Rec(TIME + 10, "b", "2", new RecordHeader("h", bytes("x")), new RecordHeader("n", null));
        Rec c = new Rec(TIME + 70_000, "c", "3".repeat(300));
        Rec d = new Rec(TIME - 5, "d", "");
        Rec none = new Rec(TIME + 1, null, "no key");
        Rec gone = new Rec(TIME + 2, "b", null);
        Rec far = new Rec(TIME + 90_000, "", null, new RecordHeader("why", bytes("gone")));
        Map<String, Long> lastOfAll = Map.of("a", 100L, "b", 101L, "c", 102L, "d", 103L);

        new CleanedBatches().vector("all stay", lastOfAll, a, b, c, d);
        new CleanedBatches().vector("the first goes", Map.of("a", 200L), a, b, c, d);
        new CleanedBatches().vector("the last goes", Map.of("d", 104L), a, b, c, d);
        new CleanedBatches().vector("the largest time goes", Map.of("c", 999L), a, b, c, d);
        new CleanedBatches().vector("one is left", Map.of("a", 200L, "b", 200L, "d", 200L), a, b, c, d);
        new CleanedBatches().vector("nothing is left", Map.of("a", 200L, "b", 200L), a, b);
        new CleanedBatches().vector("without a key", Map.of(), a, none, b, none);
        new CleanedBatches().vector("a key twice", Map.of("a", 102L), a, b, a);
        new CleanedBatches().producer().vector("of a producer", Map.of("a", 200L, "b", 200L), a, b, c);
        CleanedBatches last = new CleanedBatches().producer();
        last.keepEmpty = true;
        last.vector("the last of a producer", Map.of("a", 200L, "b", 200L), a, b);
        last.gzip().vector("the last of a producer, gzip", Map.of("a", 200L, "b", 200L), a, b);
        last.vector("not empty, the last of a producer, gzip", Map.of("a", 200L), a, b);
        CleanedBatches transaction = new CleanedBatches().producer();
        transaction.transactional = true;
        transaction.vector("transactional", Map.of("b", 200L), a, b, c);
        new CleanedBatches().appendTime().vector("log append time", Map.of("a", 200L), a, b, c);
        new CleanedBatches().appendTime().vector("log append time, all stay", lastOfAll, a, b, c);

        CleanedBatches tombstones = new CleanedBatches();
        byte[] marked = tombstones.vector("a tombstone gets its horizon", Map.of("b", 102L), a, b, gone, far, c);
        byte[] alone = tombstones.vector("a tombstone alone", Map.of("b", 100L), gone);
        tombstones.now = NOW + RETENTION - 1;
        tombstones.vector("a horizon that has not come", Map.of("b", 102L), marked);
        tombstones.vector("a horizon that has not come, and records go", Map.of("a", 200L, "b", 102L), marked);
        tombstones.now = NOW + RETENTION;
        tombstones.vector("a horizon that has come", Map.of("b", 102L), marked);
        tombstones.vector("a horizon that has come, alone", Map.of("b", 100L), alone);
        new CleanedBatches().appendTime().vector("log append time and a tombstone", Map.of("a", 200L), a, gone, c);
        new CleanedBatches().gzip().vector("a tombstone, gzip", Map.of("a", 200L), a, gone, c);
        new CleanedBatches().gzip().vector("all stay, gzip", lastOfAll, a, b, c);
        new CleanedBatches().gzip().producer().vector("the first goes, gzip", Map.of("a", 200L), a, b, c, none);
        CleanedBatches half = new CleanedBatches();
        half.knownTo = 102;
        half.vector("half of it is not known", Map.of("a", 101L, "b", 101L), a, b, a, none);

        String about = "What the Java client's MemoryRecords.filterTo makes of batches, by test/vectors/kafka/tool. last: the last offset of "
            + "each key, [length:1][key][offset:8] one behind the other; records and left: decompressed.";
        Files.writeString(Path.of(arguments[0]), "{\n  \"about\": \"" + about + "\",\n  \"by\": \"kafka-clients "
            + AppInfoParser.getVersion() + "\",\n  \"vectors\": [\n" + String.join(",\n", lines) + "\n  ]\n}\n");
    }
}
