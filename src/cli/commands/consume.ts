import { type Command, Option } from 'commander'
import { type BrokerAddress, withBootstrapServer, withClient } from '../bootstrap.js'
import { createCommand, datetime, examples, integerBetween, metadataMaxAgeOption, nonEmpty } from '../command-line.js'

const MAX_INT32 = 2147483647

interface Options {
  bootstrapServer: BrokerAddress
  fromBeginning?: true
  fromDatetime?: number
  group?: string
  partition?: number
  maxMessages?: number
  printKey?: true
  keySeparator: string
  timeoutMs?: number
  metadataMaxAgeMs: number
}

/** `mykafka consume` */
export function consumeCommand(): Command {
  return withBootstrapServer(createCommand('consume'))
    .description('Print the values of a topic, one record a line, and follow its end.')
    .argument('<topic>')
    .option('--from-beginning', 'start at the log start, where the group has committed nothing (default: at the end)')
    .addOption(
      new Option(
        '--from-datetime <time>',
        'start at the first record that is not older, where the group has committed nothing',
      )
        .argParser(datetime)
        .conflicts('fromBeginning'),
    )
    .option('--group <name>', 'start where the group committed, and commit what is printed', nonEmpty)
    .option('--partition <n>', 'one partition only (default: all)', integerBetween(0, MAX_INT32))
    .option('--max-messages <n>', 'end behind so many records', integerBetween(1, Number.MAX_SAFE_INTEGER))
    .option('--print-key', 'print the key before the value')
    .option('--key-separator <text>', 'what is printed between key and value (default: a tab)', String, '\t')
    .option('--timeout-ms <n>', 'end when no record came for so long', integerBetween(1, MAX_INT32))
    .addOption(metadataMaxAgeOption())
    .addHelpText(
      'after',
      examples(
        'mykafka consume flights --from-beginning --max-messages 10',
        'mykafka consume flights --group board --print-key --key-separator :',
        'mykafka consume flights --from-datetime 2026-11-30T14:05:00.000+01:00',
        'mykafka consume flights --partition 3 --from-beginning --timeout-ms 1000',
      ),
    )
    .action(async (topic: string, { bootstrapServer, ...options }: Options) => {
      const { consumeTopic } = await import('../consume/consume-topic.js')
      await withClient(bootstrapServer, (client) =>
        consumeTopic(client, {
          topic,
          fromBeginning: options.fromBeginning ?? false,
          fromTime: options.fromDatetime,
          group: options.group,
          partition: options.partition,
          maxMessages: options.maxMessages,
          printKey: options.printKey ?? false,
          keySeparator: options.keySeparator,
          timeoutMs: options.timeoutMs,
          metadataMaxAgeMs: options.metadataMaxAgeMs,
        }),
      )
    })
}
