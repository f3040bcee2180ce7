import { type Command, InvalidArgumentError } from 'commander'
import type { OffsetReset, ResetScope, ResetTarget } from '../../client/admin/offset-reset.js'
import { type BrokerAddress, withAdmin, withBootstrapServer } from '../bootstrap.js'
import { createCommand, datetime, examples, integerBetween } from '../command-line.js'
import { UsageError } from '../failure.js'
import { type JsonOption, withJson, writeList } from '../listing.js'
import { table } from '../table.js'

interface ResetCommandOptions extends JsonOption {
  bootstrapServer: BrokerAddress
  topic?: readonly ResetScope[]
  allTopics?: true
  toEarliest?: true
  toLatest?: true
  toCurrent?: true
  toOffset?: number
  toDatetime?: number
  shiftBy?: number
  execute?: true
}

const LARGEST = Number.MAX_SAFE_INTEGER

/** `mykafka groups reset-offsets` */
export function resetOffsetsCommand(): Command {
  return withJson(withBootstrapServer(createCommand('groups reset-offsets')))
    .description('Set where a group without members goes on. Only shows it, without --execute.')
    .argument('<group>')
    .option(
      '--topic <topic[:partitions]>',
      'a topic, or partitions of it such as t:0,1; as often as there are some',
      collectScope,
    )
    .option('--all-topics', 'every partition that the group committed for')
    .option('--to-earliest', 'to the log start')
    .option('--to-latest', 'to the log end: skip what is there')
    .option('--to-current', 'stay, and go to the log end where it committed nothing')
    .option('--to-offset <n>', 'to this offset, or the nearest that is there', integerBetween(0, LARGEST))
    .option('--to-datetime <time>', 'to the first record that is not older, or the log end', datetime)
    .option('--shift-by <n>', 'so many offsets further, back where it is negative', integerBetween(-LARGEST, LARGEST))
    .option('--execute', 'do it')
    .addHelpText(
      'after',
      examples(
        'mykafka groups reset-offsets board --all-topics --to-earliest',
        'mykafka groups reset-offsets board --topic flights:0,1 --to-offset 1000 --execute',
        'mykafka groups reset-offsets board --topic flights --to-datetime 2026-11-30T14:05:00Z --execute',
        'mykafka groups reset-offsets board --all-topics --shift-by -100',
      ),
    )
    .action(async (group: string, options: ResetCommandOptions) => {
      const { topic: topics, allTopics, execute } = options
      if ((topics !== undefined) === (allTopics === true)) {
        throw new UsageError('one of --topic and --all-topics says which offsets')
      }
      const reset = { to: targetOf(options), topics, dryRun: execute !== true }
      const resets = await withAdmin(options.bootstrapServer, (admin) => admin.resetGroupOffsets(group, reset))
      for (const each of resets) tellOfBounds(each)
      await writeList(resets, options, {
        text: () => resetTable(group, resets),
        json: (each) => ({ groupId: group, ...each, executed: execute === true }),
      })
      if (!execute) process.stderr.write('mykafka groups: nothing is changed without --execute\n')
    })
}

function targetOf(options: ResetCommandOptions): ResetTarget {
  const { toOffset, toDatetime, shiftBy } = options
  const targets: ResetTarget[] = []
  if (options.toEarliest) targets.push('earliest')
  if (options.toLatest) targets.push('latest')
  if (options.toCurrent) targets.push('current')
  if (toOffset !== undefined) targets.push({ offset: toOffset })
  if (toDatetime !== undefined) targets.push({ timestamp: Math.max(toDatetime, 0) })
  if (shiftBy !== undefined) targets.push({ shiftBy })
  const [target, another] = targets
  if (target !== undefined && another === undefined) return target
  throw new UsageError(
    'one of --to-earliest, --to-latest, --to-current, --to-offset, --to-datetime and --shift-by says where to',
  )
}

/** As Kafka's tool: what lies outside the log becomes the end that is nearer. */
function tellOfBounds({ topic, partition, requestedOffset, newOffset }: OffsetReset): void {
  if (requestedOffset === newOffset) return
  const [relation, end] =
    requestedOffset < newOffset ? ['below the log start', 'log start'] : ['above the log end', 'log end']
  process.stderr.write(
    `mykafka groups: the offset ${requestedOffset} is ${relation} of ${topic}-${partition}: it becomes the ${end}, ${newOffset}\n`,
  )
}

function resetTable(group: string, resets: readonly OffsetReset[]): string {
  if (resets.length === 0) return ''
  const rows = resets.map(({ topic, partition, previousOffset, newOffset }) => [
    group,
    topic,
    partition,
    previousOffset,
    newOffset,
  ])
  return table(['GROUP', 'TOPIC', 'PARTITION', 'CURRENT-OFFSET', 'NEW-OFFSET'], rows)
}

/** Reads one more `TOPIC` or `TOPIC:0,1`. */
function collectScope(text: string, before: readonly ResetScope[] = []): readonly ResetScope[] {
  const match = /^([^:]+)(?::(\d{1,10}(?:,\d{1,10})*))?$/.exec(text)
  if (match === null) throw new InvalidArgumentError('It must be TOPIC or TOPIC:PARTITIONS, such as flights:0,1.')
  const [, topic = '', numbers] = match
  return [...before, { topic, partitions: numbers?.split(',').map(Number) }]
}
