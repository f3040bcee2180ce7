import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;

/** Creates, describes, alters and deletes a topic. */
final class Topics {
  private Topics() {}

  static void run(String bootstrap, String topic) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      Callable<Boolean> listed = () -> admin.listTopics().names().get().contains(topic);
      Callable<Integer> partitions =
          () -> admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions().size();
      Callable<String> retention =
          () -> admin.describeConfigs(List.of(resource)).all().get().get(resource).get("retention.ms").value();
      var created = new NewTopic(topic, Optional.of(3), Optional.empty()).configs(Map.of("retention.ms", "86400000"));
      admin.createTopics(List.of(created)).all().get();
      Protocol.step("created", true);
      Protocol.step("listed", Protocol.until(listed, (there) -> there));
      Protocol.step("partitions", partitions.call());
      Protocol.step("config", retention.call());
      var set = new AlterConfigOp(new ConfigEntry("retention.ms", "3600000"), AlterConfigOp.OpType.SET);
      admin.incrementalAlterConfigs(Map.of(resource, List.of(set))).all().get();
      Protocol.step("altered", Protocol.until(retention, (value) -> !value.equals("86400000")));
      admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(5))).all().get();
      Protocol.step("grown", Protocol.until(partitions, (count) -> count != 3));
      admin.deleteTopics(List.of(topic)).all().get();
      Protocol.step("deleted", !Protocol.until(listed, (there) -> !there));
    }
  }
}
