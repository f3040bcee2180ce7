import { type Command, Option } from 'commander'
import { type BrokerAddress, withBootstrapServer, withKafka } from '../bootstrap.js'
import { createCommand, examples, integerBetween, nonEmpty } from '../command-line.js'
import { withJson } from '../listing.js'
import { type Properties, property } from '../perf/properties.js'

const MAX_INT32 = 2147483647
const MAX_RECORDS = Number.MAX_SAFE_INTEGER
const MAX_RECORD_BYTES = 100 << 20

const PRODUCER_PROPERTIES = [
  'linger.ms',
  'batch.size',
  'buffer.memory',
  'max.block.ms',
  'max.in.flight.requests.per.connection',
  'max.request.size',
  'retries',
  'delivery.timeout.ms',
]
const CONSUMER_PROPERTIES = ['max.poll.records', 'fetch.max.bytes', 'max.partition.fetch.bytes', 'auto.offset.reset']

interface Common {
  bootstrapServer: BrokerAddress
  topic: string
  numRecords: number
  json?: true
}

interface ProduceOptions extends Common {
  recordSize: number
  throughput: number
  producerProps?: Properties
}

interface ConsumeOptions extends Common {
  group?: string
  fromLatest?: true
  timeoutMs: number
  consumerProps?: Properties
}

/** `mykafka perf produce|consume` */
export function perfCommand(): Command {
  return createCommand('perf')
    .description("Measure a broker, as Kafka's perf tools do.")
    .addCommand(produceCommand())
    .addCommand(consumeCommand())
    .addHelpText(
      'after',
      examples(
        'mykafka perf produce --topic flights --num-records 1000000 --record-size 100',
        'mykafka perf consume --topic flights --num-records 1000000',
      ),
    )
}

function common(path: string): Command {
  return withJson(withBootstrapServer(createCommand(path)))
    .requiredOption('--topic <name>', 'a topic that is there', nonEmpty)
    .requiredOption('--num-records <n>', 'how many records', integerBetween(1, MAX_RECORDS))
}

function produceCommand(): Command {
  return common('perf produce')
    .description('Send records without keys, and measure how long each takes to be acknowledged.')
    .requiredOption('--record-size <n>', 'bytes of a value', integerBetween(0, MAX_RECORD_BYTES))
    .option('--throughput <n>', 'records a second; -1: as fast as it goes', integerBetween(-1, MAX_INT32), -1)
    .addOption(properties('--producer-props', PRODUCER_PROPERTIES))
    .addHelpText(
      'after',
      examples(
        'mykafka perf produce --topic flights --num-records 1000000 --record-size 100',
        'mykafka perf produce --topic flights --num-records 50000 --record-size 1024 --throughput 5000 --producer-props linger.ms=5',
      ),
    )
    .action(async ({ bootstrapServer, producerProps = {}, json, ...options }: ProduceOptions) => {
      const { perfProduce } = await import('../perf/perf-produce.js')
      await withKafka(
        bootstrapServer,
        (kafka) => perfProduce(kafka, { ...options, properties: producerProps, json: json ?? false }),
        (client) => client.metadata(options.topic),
      )
    })
}

function consumeCommand(): Command {
  return common('perf consume')
    .description('Read records of all partitions, and measure how long each poll takes.')
    .option('--group <name>', 'start where the group committed, and commit', nonEmpty)
    .option('--from-latest', 'start at the end where no group has committed (default: at the log start)')
    .option('--timeout-ms <n>', 'end when no record came for so long', integerBetween(1, MAX_INT32), 10_000)
    .addOption(properties('--consumer-props', CONSUMER_PROPERTIES))
    .addHelpText('after', examples('mykafka perf consume --topic flights --num-records 1000000 --json'))
    .action(async ({ bootstrapServer, consumerProps = {}, json, group, fromLatest, ...options }: ConsumeOptions) => {
      const { perfConsume } = await import('../perf/perf-consume.js')
      const settings = { properties: consumerProps, group, fromLatest: fromLatest ?? false, json: json ?? false }
      await withKafka(
        bootstrapServer,
        (kafka) => perfConsume(kafka, { ...options, ...settings }),
        (client) => client.metadata(options.topic),
      )
    })
}

function properties(flag: string, known: readonly string[]): Option {
  const option = new Option(`${flag} <name=value...>`, `settings of the client: ${known.join(', ')}`)
  return option.argParser(property(known))
}
