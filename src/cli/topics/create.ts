import type { Command } from 'commander'
import { MyKafkaError } from '../../errors.js'
import { type BrokerAddress, withAdmin, withBootstrapServer } from '../bootstrap.js'
import { createCommand, examples, integerBetween } from '../command-line.js'
import { Output } from '../output.js'
import { type ConfigOptions, collectConfig } from './config-options.js'

const MAX_INT32 = 2147483647

interface CreateOptions {
  bootstrapServer: BrokerAddress
  partitions: number
  config?: ConfigOptions
  ifNotExists?: true
}

/** `mykafka topics create` */
export function createTopicCommand(): Command {
  return withBootstrapServer(createCommand('topics create'))
    .description('Create a topic.')
    .argument('<name>', 'letters, digits, ".", "_" and "-"')
    .option('--partitions <n>', 'number of partitions', integerBetween(1, MAX_INT32), 1)
    .option('--config <name=value>', "a configuration by Kafka's name; as often as there are some", collectConfig)
    .option('--if-not-exists', 'leave a topic that exists as it is')
    .addHelpText(
      'after',
      examples(
        'mykafka topics create flights --partitions 6',
        'mykafka topics create seats --config cleanup.policy=compact --config record.format=kafka',
      ),
    )
    .action(async (name: string, { bootstrapServer, partitions, config, ifNotExists }: CreateOptions) => {
      const options = { partitions, configs: config }
      const outcome = await withAdmin(bootstrapServer, (admin) => admin.createTopic(name, options))
      if (outcome === 'created') await new Output().write(`Created topic ${name}.\n`)
      else if (!ifNotExists) throw new MyKafkaError('TOPIC_ALREADY_EXISTS', `the topic ${name} exists already`)
    })
}
