import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;

/** Values for each field that a message has in a version, after the message definition that the client's jar holds. */
final class Filling {
    enum Kind {
        /** Every field holds something of its own; arrays have two elements. */
        FULL,
        /** Every field holds its default, or null where it can. */
        DEFAULTS,
        /** As DEFAULTS, but what can be null is empty. */
        EMPTY,
        /** Lengths that need more than a byte, the largest and smallest numbers. */
        EXTREME
    }

    /** The int64 fields that are neither an offset, a timestamp nor a producer id: they go beyond 2^53. */
    private static final Set<String> PLAIN_INT64 = Set.of(
        "RetentionTimeMs", "PartitionSize", "TotalBytes", "UsableBytes", "FinalizedFeaturesEpoch", "ReplicaEpoch");
    private static final long SAFE = (1L << 53) - 1;
    private static final ObjectMapper JSON = new ObjectMapper().enable(JsonParser.Feature.ALLOW_COMMENTS);
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final short version;
    private final Kind kind;
    private final JsonNode definition;
    private final Map<String, JsonNode> structs = new HashMap<>();
    private int count = 0;
    private boolean nullable = false;

    Filling(String name, short version, Kind kind) throws Exception {
        this.version = version;
        this.kind = kind;
        try (InputStream in = Filling.class.getResourceAsStream("/common/message/" + name + ".json")) {
            definition = JSON.readTree(in);
        }
        for (JsonNode struct : definition.path("commonStructs")) {
            structs.put(struct.get("name").asText(), struct.get("fields"));
        }
    }

    JsonNode message() {
        return struct(definition.get("fields"));
    }

    /** Whether a field of this version can be null. */
    boolean hadNullable() {
        return nullable;
    }

    private ObjectNode struct(JsonNode fields) {
        ObjectNode object = NODES.objectNode();
        for (JsonNode field : fields) {
            if (!includes(field.get("versions"))) continue;
            String name = field.get("name").asText();
            object.set(Character.toLowerCase(name.charAt(0)) + name.substring(1), value(field));
        }
        return object;
    }

    private JsonNode value(JsonNode field) {
        String type = field.get("type").asText();
        if (includes(field.get("nullableVersions"))) {
            nullable = true;
            if (kind == Kind.DEFAULTS) return NODES.nullNode();
            // A struct cannot be empty; null is its default.
            if (kind == Kind.EMPTY && isStruct(type)) return NODES.nullNode();
        }
        if (type.startsWith("[]")) {
            String element = type.substring(2);
            ArrayNode array = NODES.arrayNode();
            boolean many = kind == Kind.EXTREME && element.equals("string");
            for (int i = arrayLength(element); i > 0; i--) {
                array.add(many ? NODES.textNode("s" + i) : single(field, element));
            }
            return array;
        }
        return single(field, type);
    }

    private int arrayLength(String element) {
        if (kind == Kind.FULL) return 2;
        if (kind == Kind.EXTREME) return isStruct(element) ? 1 : 130;
        return 0;
    }

    private JsonNode single(JsonNode field, String type) {
        if (isStruct(type)) return struct(field.has("fields") ? field.get("fields") : structs.get(type));
        boolean unset = kind == Kind.DEFAULTS || kind == Kind.EMPTY;
        String preset = field.path("default").asText("");
        String given = preset.equals("null") ? "" : preset;
        return switch (type) {
            case "bool" -> NODES.booleanNode(unset == given.equals("true"));
            case "int8" -> NODES.numberNode(unset ? number(given) : number(given, Byte.MIN_VALUE, Byte.MAX_VALUE));
            case "int16" -> NODES.numberNode(unset ? number(given) : number(given, Short.MIN_VALUE, Short.MAX_VALUE));
            case "int32" -> NODES.numberNode(
                unset ? number(given) : number(given, Integer.MIN_VALUE, Integer.MAX_VALUE));
            case "int64" -> NODES.numberNode(unset ? number(given)
                : PLAIN_INT64.contains(field.get("name").asText()) ? number(given, Long.MIN_VALUE, Long.MAX_VALUE)
                : number(given, -SAFE, SAFE));
            case "string" -> NODES.textNode(unset ? given : text(field.get("name").asText()));
            case "uuid" -> NODES.textNode((unset ? Uuid.ZERO_UUID : new Uuid(0x1122334455667788L, ++count)).toString());
            case "bytes" -> NODES.binaryNode(unset ? new byte[0] : text("bytes").getBytes(StandardCharsets.UTF_8));
            case "records" -> NODES.binaryNode(unset ? new byte[0] : records());
            default -> throw new IllegalArgumentException(type);
        };
    }

    private static long number(String preset) {
        return preset.isEmpty() ? 0 : Long.decode(preset);
    }

    /** A value of its own for each field, spread over the type's bytes, and not the default. */
    private long number(String preset, long min, long max) {
        count++;
        if (kind == Kind.EXTREME) {
            long extreme = count % 2 == 0 ? min : max;
            return extreme == number(preset) ? extreme / 2 : extreme;
        }
        long step = max / 61;
        long value = step * (count % 29 + 1) + count;
        if (count % 5 == 0) value = -value;
        value = Math.max(min, Math.min(max, value));
        return value == number(preset) ? value - 1 : value;
    }

    private String text(String name) {
        count++;
        // Two, three and four bytes of UTF-8 among the letters.
        if (kind == Kind.EXTREME) return count % 3 == 1 ? "\u00e9\u20ac\ud83d\ude00".repeat(20) : "s".repeat(127);
        return name.toLowerCase() + "-" + count;
    }

    private byte[] records() {
        SimpleRecord first = new SimpleRecord(1700000000000L, "key".getBytes(), ("value " + ++count).getBytes());
        MemoryRecords records = MemoryRecords.withRecords(Compression.NONE, first, new SimpleRecord(null, null));
        byte[] bytes = new byte[records.sizeInBytes()];
        records.buffer().duplicate().get(bytes);
        return bytes;
    }

    private static boolean isStruct(String type) {
        return Character.isUpperCase(type.charAt(0));
    }

    private boolean includes(JsonNode range) {
        if (range == null) return false;
        String text = range.asText();
        if (text.equals("none")) return false;
        if (text.endsWith("+")) return version >= Integer.parseInt(text.substring(0, text.length() - 1));
        String[] ends = text.split("-");
        return version >= Integer.parseInt(ends[0]) && version <= Integer.parseInt(ends[ends.length - 1]);
    }

    /**
     * What the client's converter wrote, with two amendments: record batches, which it leaves out, are taken from the
     * values it was given, and numbers that JavaScript's JSON would round become text.
     */
    static JsonNode amended(JsonNode written, JsonNode values) {
        if (written.isObject()) {
            ObjectNode object = NODES.objectNode();
            written.fields().forEachRemaining(entry -> {
                String name = entry.getKey();
                boolean records = name.equals("records") && !entry.getValue().isNull();
                object.set(name, records ? values.get(name) : amended(entry.getValue(), values.path(name)));
            });
            return object;
        }
        if (written.isArray()) {
            ArrayNode array = NODES.arrayNode();
            for (int i = 0; i < written.size(); i++) array.add(amended(written.get(i), values.path(i)));
            return array;
        }
        boolean safe = !written.isIntegralNumber() || written.asLong() >= -SAFE && written.asLong() <= SAFE;
        return safe ? written : NODES.textNode(written.asText());
    }
}
