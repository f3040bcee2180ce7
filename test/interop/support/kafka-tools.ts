/** Apache Kafka's console tools, as bin/kafka-*.sh runs them. */
import { sharedBroker } from './broker.js'
import { CLASS_PATH, SHORT_LIVED } from './java.js'
import { runCommand } from './run-command.js'

/** The scripts' names, without `kafka-` and `.sh`, and what they run. */
const TOOLS = {
  topics: 'org.apache.kafka.tools.TopicCommand',
  configs: 'org.apache.kafka.tools.ConfigCommand',
  'console-producer': 'org.apache.kafka.tools.ConsoleProducer',
  'console-consumer': 'org.apache.kafka.tools.consumer.ConsoleConsumer',
  'consumer-groups': 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand',
  'delete-records': 'org.apache.kafka.tools.DeleteRecordsCommand',
  'get-offsets': 'org.apache.kafka.tools.GetOffsetShell',
  'log-dirs': 'org.apache.kafka.tools.LogDirsCommand',
  'broker-api-versions': 'org.apache.kafka.tools.BrokerApiVersionsCommand',
  cluster: 'org.apache.kafka.tools.ClusterTool',
  'dump-log': 'org.apache.kafka.tools.DumpLogSegments',
  'producer-perf-test': 'org.apache.kafka.tools.ProducerPerformance',
  'consumer-perf-test': 'org.apache.kafka.tools.ConsumerPerformance',
} as const

export type KafkaTool = keyof typeof TOOLS

/** Runs a tool and resolves with its standard output. It fails where the tool does. */
export function runTool(tool: KafkaTool, args: readonly string[], input = ''): Promise<string> {
  const java = [...SHORT_LIVED, '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-cp', CLASS_PATH, TOOLS[tool]]
  return runCommand('java', [...java, ...args], { input })
}

/** The same with --bootstrap-server. */
export async function askBroker(tool: KafkaTool, args: readonly string[], input?: string): Promise<string> {
  const { bootstrap } = await sharedBroker()
  return runTool(tool, [...(tool === 'cluster' ? [] : ['--bootstrap-server', bootstrap]), ...args], input)
}
