import { type Command, InvalidArgumentError } from 'commander'
import { MAX_PARTITIONS, neededPartitions } from '../../topic/partition-count.js'
import { createCommand, examples, integerBetween } from '../command-line.js'
import { UsageError } from '../failure.js'
import { type JsonOption, withJson, writeList } from '../listing.js'
import { ORDER_ADVICE, shareLines, shareObject } from '../partitions/growth-report.js'
import { countKeysOfFile, countUserKeys } from '../partitions/moved-keys.js'

interface PlanOptions extends JsonOption {
  from: number
  to: number
  keys?: string
}

interface CountOptions extends JsonOption {
  target: number
  produceRate: number
  consumeRate: number
}

/** `mykafka partitions plan|count` */
export function partitionsCommand(): Command {
  return createCommand('partitions')
    .description('Calculate: what adding partitions does to keys, and how many partitions a topic needs.')
    .addCommand(planCommand())
    .addCommand(countCommand())
    .addHelpText(
      'after',
      examples(
        'mykafka partitions plan --from 6 --to 8',
        'mykafka partitions count --target 300 --produce-rate 50 --consume-rate 20',
      ),
    )
}

function planCommand(): Command {
  const partitions = integerBetween(1, MAX_PARTITIONS)
  return withJson(createCommand('partitions plan'))
    .description('Tell which share of keys gets another partition when partitions are added. No broker is asked.')
    .requiredOption('--from <n>', 'number of partitions that the topic has', partitions)
    .requiredOption('--to <n>', 'number of partitions that it is to have', partitions)
    .option('--keys <file>', 'the keys to count, one a line (default: user-0 to user-9999)')
    .addHelpText(
      'after',
      examples(
        'mykafka partitions plan --from 6 --to 8',
        'mykafka consume flights --from-beginning --timeout-ms 1000 --print-key | cut -f1 | sort -u > keys.txt',
        'mykafka partitions plan --from 6 --to 8 --keys keys.txt',
      ),
    )
    .action(async ({ from, to, keys, json }: PlanOptions) => {
      if (to <= from) throw new UsageError(`--to ${to} must be above --from ${from}: partitions are only added`)
      const growth = { from, to }
      const moved = keys === undefined ? countUserKeys(growth) : await countKeysOfFile(keys, growth)
      const text = `Keys that get another partition when ${from} become ${to}:\n${shareLines(growth, moved)}\n${ORDER_ADVICE}`
      await writeList([shareObject(growth, moved)], { json }, { text: () => text })
    })
}

function countCommand(): Command {
  return withJson(createCommand('partitions count'))
    .description('Tell how many partitions a topic needs: max(target / produce rate, target / consume rate).')
    .requiredOption('--target <rate>', 'what the topic is to carry', rate)
    .requiredOption('--produce-rate <rate>', 'what producers can write to one partition', rate)
    .requiredOption('--consume-rate <rate>', 'what one consumer can read of one partition', rate)
    .addHelpText(
      'after',
      `
All rates in one unit, such as MB/s or records a second.
${examples('mykafka partitions count --target 300 --produce-rate 50 --consume-rate 20')}`,
    )
    .action(async ({ json, ...load }: CountOptions) => {
      const needed = neededPartitions(load)
      const { partitions, forProducers, forConsumers } = needed
      const text = `${partitions} partitions: ${forProducers} for the producers, ${forConsumers} for the consumers.\n`
      await writeList([{ ...load, ...needed }], { json }, { text: () => text })
    })
}

function rate(text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0
  if (value > 0) return value
  throw new InvalidArgumentError('It must be a number above 0.')
}
