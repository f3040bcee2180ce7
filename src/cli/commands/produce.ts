import { type Command, Option } from 'commander'
import { PARTITIONERS, type PartitionerName } from '../../topic/partitioner.js'
import { type BrokerAddress, withBootstrapServer, withClient } from '../bootstrap.js'
import { createCommand, examples, integerBetween, metadataMaxAgeOption, nonEmpty } from '../command-line.js'

const MAX_INT32 = 2147483647

interface Options {
  bootstrapServer: BrokerAddress
  keySeparator?: string
  partition?: number
  partitioner: PartitionerName
  metadataMaxAgeMs: number
}

/** `mykafka produce` */
export function produceCommand(): Command {
  return withBootstrapServer(createCommand('produce'))
    .description('Produce the lines of standard input, one record a line.')
    .argument('<topic>')
    .option('--key-separator <text>', 'what stands before it in a line is the key (default: no keys)', nonEmpty)
    .option('--partition <n>', 'the partition for all of it (default: by key)', integerBetween(0, MAX_INT32))
    .addOption(
      new Option('--partitioner <name>', 'how keys are placed, as the broker does')
        .choices(PARTITIONERS)
        .default('murmur2' satisfies PartitionerName),
    )
    .addOption(metadataMaxAgeOption())
    .addHelpText(
      'after',
      examples(
        'mykafka produce flights < flights.jsonl',
        'printf "AMS:late\\nSFO:on time\\n" | mykafka produce flights --key-separator :',
      ),
    )
    .action(async (topic: string, { bootstrapServer, ...options }: Options) => {
      const { produceLines } = await import('../produce/produce-lines.js')
      await withClient(bootstrapServer, (client) =>
        produceLines(client, process.stdin, {
          topic,
          keySeparator: options.keySeparator,
          partition: options.partition,
          partitioner: options.partitioner,
          metadataMaxAgeMs: options.metadataMaxAgeMs,
        }),
      )
    })
}
