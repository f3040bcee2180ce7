import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.utils.AppInfoParser;

/**
 * Writes what the Java client makes of every message of every version: one file per API, one vector a line.
 * The values come from {@link Filling}; the bytes and the message as JSON are the client's own.
 */
public final class KafkaVectors {
    /** The versions that we know, as "min-max". */
    private static final Map<ApiMessageType, int[]> VERSIONS = new LinkedHashMap<>();

    private static void api(ApiMessageType type, int min, int max) {
        VERSIONS.put(type, new int[] {min, max});
    }

    static {
        api(ApiMessageType.PRODUCE, 3, 11);
        api(ApiMessageType.FETCH, 4, 17);
        api(ApiMessageType.LIST_OFFSETS, 1, 9);
        api(ApiMessageType.METADATA, 0, 12);
        api(ApiMessageType.OFFSET_COMMIT, 2, 9);
        api(ApiMessageType.OFFSET_FETCH, 1, 9);
        api(ApiMessageType.FIND_COORDINATOR, 0, 6);
        api(ApiMessageType.JOIN_GROUP, 0, 9);
        api(ApiMessageType.HEARTBEAT, 0, 4);
        api(ApiMessageType.LEAVE_GROUP, 0, 5);
        api(ApiMessageType.SYNC_GROUP, 0, 5);
        api(ApiMessageType.DESCRIBE_GROUPS, 0, 5);
        api(ApiMessageType.LIST_GROUPS, 0, 5);
        api(ApiMessageType.API_VERSIONS, 0, 4);
        api(ApiMessageType.CREATE_TOPICS, 0, 7);
        api(ApiMessageType.DELETE_TOPICS, 0, 6);
        api(ApiMessageType.DELETE_RECORDS, 0, 2);
        api(ApiMessageType.INIT_PRODUCER_ID, 0, 5);
        api(ApiMessageType.OFFSET_FOR_LEADER_EPOCH, 2, 4);
        api(ApiMessageType.DESCRIBE_CONFIGS, 0, 4);
        api(ApiMessageType.ALTER_CONFIGS, 0, 2);
        api(ApiMessageType.DESCRIBE_LOG_DIRS, 0, 4);
        api(ApiMessageType.CREATE_PARTITIONS, 0, 3);
        api(ApiMessageType.DELETE_GROUPS, 0, 2);
        api(ApiMessageType.INCREMENTAL_ALTER_CONFIGS, 0, 1);
        api(ApiMessageType.OFFSET_DELETE, 0, 0);
        api(ApiMessageType.DESCRIBE_CLUSTER, 0, 1);
        api(ApiMessageType.DESCRIBE_TOPIC_PARTITIONS, 0, 0);
    }

    private final ObjectMapper json = new ObjectMapper();
    private final ApiMessageType type;
    private final int max;
    private final PrintWriter out;
    private boolean first = true;

    private KafkaVectors(ApiMessageType type, int max, PrintWriter out) {
        this.type = type;
        this.max = max;
        this.out = out;
    }

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        for (Map.Entry<ApiMessageType, int[]> entry : VERSIONS.entrySet()) {
            ApiMessageType type = entry.getKey();
            int[] versions = entry.getValue();
            String name = type.newRequest().getClass().getSimpleName().replace("RequestData", "");
            try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(directory.resolve(name + ".json")))) {
                out.printf("{\"api\":\"%s\",\"key\":%d,", name, type.apiKey());
                out.printf("\"client\":\"kafka-clients %s\",\"vectors\":[", AppInfoParser.getVersion());
                KafkaVectors vectors = new KafkaVectors(type, versions[1], out);
                for (int version = versions[0]; version <= versions[1]; version++) {
                    vectors.write(name + "Request", (short) version, vectors.requestHeader((short) version));
                    vectors.write(name + "Response", (short) version, vectors.responseHeader((short) version));
                }
                out.print("\n]}\n");
            }
        }
    }

    private void write(String name, short version, byte[] header) throws Exception {
        for (Filling.Kind kind : Filling.Kind.values()) {
            // Long lengths and extreme numbers are the same in every version; the newest shows them.
            if (kind == Filling.Kind.EXTREME && version != max) continue;
            Filling filling = new Filling(name, version, kind);
            JsonNode values = filling.message();
            if (kind == Filling.Kind.EMPTY && !filling.hadNullable()) continue;
            vector(name, version, kind.name().toLowerCase(), header, values, false);
            // A flexible version is one whose request header has tagged fields.
            boolean flexible = type.requestHeaderVersion(version) >= 2;
            if (flexible && kind == Filling.Kind.FULL) vector(name, version, "unknown-tags", header, values, true);
        }
    }

    private void vector(String name, short version, String kind, byte[] header, JsonNode values, boolean tags)
        throws Exception {
        Message message = (Message) converter(name, "read", JsonNode.class, values, version);
        if (tags) {
            message.unknownTaggedFields().add(new RawTaggedField(100, new byte[] {1, 2, 3}));
            message.unknownTaggedFields().add(new RawTaggedField(20000, new byte[200]));
        }
        byte[] bytes = bytes(message, version);
        ApiMessage again = name.endsWith("Request") ? type.newRequest() : type.newResponse();
        again.read(new ByteBufferAccessor(ByteBuffer.wrap(bytes)), version);
        if (!again.equals(message)) throw new IllegalStateException(name + " v" + version + " " + kind);
        JsonNode written = (JsonNode) converter(name, "write", message.getClass(), message, version);
        ObjectNode line = json.createObjectNode();
        line.put("version", version);
        line.put("direction", name.endsWith("Request") ? "request" : "response");
        line.put("case", kind);
        line.put("header", HexFormat.of().formatHex(header));
        line.set("message", Filling.amended(written, values));
        line.put("bytes", HexFormat.of().formatHex(bytes));
        out.print(first ? "\n" : ",\n");
        out.print(json.writeValueAsString(line));
        first = false;
    }

    private byte[] requestHeader(short version) {
        RequestHeaderData header = new RequestHeaderData()
            .setRequestApiKey(type.apiKey())
            .setRequestApiVersion(version)
            .setCorrelationId(0x01020304)
            .setClientId(version % 2 == 0 ? "client-\u00e9" : null);
        return bytes(header, type.requestHeaderVersion(version));
    }

    private byte[] responseHeader(short version) {
        return bytes(new ResponseHeaderData().setCorrelationId(0x01020304), type.responseHeaderVersion(version));
    }

    private static byte[] bytes(Message message, short version) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer buffer = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(buffer), cache, version);
        return buffer.array();
    }

    private static Object converter(String name, String method, Class<?> parameter, Object value, short version)
        throws Exception {
        Class<?> converter = Class.forName("org.apache.kafka.common.message." + name + "DataJsonConverter");
        try {
            return converter.getMethod(method, parameter, short.class).invoke(null, value, version);
        } catch (InvocationTargetException failure) {
            throw new IllegalStateException(name + " v" + version + ": " + value, failure.getCause());
        }
    }
}
