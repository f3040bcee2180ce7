import type { Command } from 'commander'
import { expectedMovedShare } from '../../topic/partitioner.js'
import { type BrokerAddress, withAdmin, withBootstrapServer } from '../bootstrap.js'
import { createCommand, examples, integerBetween } from '../command-line.js'
import { UsageError } from '../failure.js'
import { Output } from '../output.js'
import { ORDER_ADVICE, percent } from '../partitions/growth-report.js'
import { type ConfigOptions, collectConfig, collectName } from './config-options.js'

const MAX_INT32 = 2147483647

interface AlterOptions {
  bootstrapServer: BrokerAddress
  partitions?: number
  config?: ConfigOptions
  deleteConfig?: readonly string[]
}

/** `mykafka topics alter` */
export function alterCommand(): Command {
  return withBootstrapServer(createCommand('topics alter'))
    .description('Add partitions to a topic, or change its configurations, while it is in use.')
    .argument('<name>')
    .option('--partitions <n>', 'how many it is to have: more than it has', integerBetween(1, MAX_INT32))
    .option('--config <name=value>', 'set a configuration; as often as there are some', collectConfig)
    .option('--delete-config <name>', 'take a configuration back: that of the broker counts again', collectName)
    .addHelpText(
      'after',
      examples(
        'mykafka topics alter flights --partitions 8',
        'mykafka topics alter flights --config retention.ms=3600000 --delete-config segment.ms',
      ),
    )
    .action(async (name: string, { bootstrapServer, partitions, config, deleteConfig = [] }: AlterOptions) => {
      const changes = { ...Object.fromEntries(deleteConfig.map((each) => [each, null])), ...config }
      const names = Object.keys(changes)
      if (partitions === undefined && names.length === 0) {
        throw new UsageError('nothing to alter: --partitions, --config or --delete-config')
      }
      const output = new Output()
      if (names.length > 0) {
        await withAdmin(bootstrapServer, (admin) => admin.alterConfigs(name, changes))
        await output.write(`Altered topic ${name}: ${names.join(', ')}.\n`)
      }
      if (partitions !== undefined) await output.write(await grow(name, partitions, bootstrapServer))
    })
}

/** Adds partitions. Returns what is to be said of it. */
async function grow(name: string, to: number, address: BrokerAddress): Promise<string> {
  const from = await withAdmin(address, async (admin) => {
    const [topic] = await admin.describeTopics([name])
    await admin.createPartitions(name, to)
    return topic?.partitions.length ?? 0
  })
  const share = percent(expectedMovedShare(from, to))
  return `\
Topic ${name} has ${to} partitions now, it had ${from}.
${share} of its keys get another partition, where they hash evenly (mykafka partitions plan counts yours).

${ORDER_ADVICE}`
}
