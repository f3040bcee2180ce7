import { type Command, InvalidArgumentError } from 'commander'
import type { ConfigEntry } from '../../client/admin/configs.js'
import type { TopicDescription } from '../../client/admin/topics.js'
import { type BrokerAddress, withAdmin, withBootstrapServer } from '../bootstrap.js'
import { createCommand, examples } from '../command-line.js'
import { UsageError } from '../failure.js'
import { type JsonOption, withJson, writeList } from '../listing.js'
import { storageText } from './storage-text.js'

interface DescribeOptions extends JsonOption {
  bootstrapServer: BrokerAddress
  configs?: true
  storage?: true
}

interface Described extends TopicDescription {
  readonly configs: readonly ConfigEntry[]
}

/** `mykafka topics describe` */
export function describeCommand(): Command {
  return withJson(withBootstrapServer(createCommand('topics describe')))
    .description(
      'Describe a topic, or all: partitions with their offsets, and the configurations that are not default.',
    )
    .argument('[name]', 'default: all topics', parseName)
    .option('--configs', 'every configuration, with where it has its value from: topic, broker or default')
    .option('--storage', 'the segments on the disk, and why each is still there')
    .addHelpText(
      'after',
      examples(
        'mykafka topics describe flights',
        'mykafka topics describe flights --configs',
        'mykafka topics describe flights --storage',
        'mykafka topics describe --json',
      ),
    )
    .action(async (name: string | undefined, options: DescribeOptions) => {
      if (options.configs && options.storage) throw new UsageError('--configs and --storage: one at a time')
      await (options.storage ? describeStorage(name, options) : describeTopics(name, options))
    })
}

async function describeTopics(name: string | undefined, options: DescribeOptions): Promise<void> {
  const described = await withAdmin(options.bootstrapServer, async (admin) => {
    const topics = await admin.describeTopics(namesOf(name))
    const configs = await admin.describeConfigs(topics.map(({ topic }) => topic))
    return topics.map((topic): Described => {
      const entries = configs.get(topic.topic) ?? []
      return { ...topic, configs: options.configs ? entries : entries.filter(({ source }) => source !== 'default') }
    })
  })
  await writeList(described, options, { text: () => described.map(topicText).join(''), json: topicJson })
}

async function describeStorage(name: string | undefined, options: DescribeOptions): Promise<void> {
  await withAdmin(options.bootstrapServer, async (admin) => {
    for (const topic of namesOf(name) ?? (await admin.listTopics())) {
      const storage = await admin.describeStorage(topic)
      await writeList([storage], options, { text: () => storageText(storage) })
    }
  })
}

function namesOf(name: string | undefined): readonly string[] | undefined {
  return name === undefined ? undefined : [name]
}

/** On the wire the empty name asks for all topics, which is not what was typed. */
function parseName(name: string): string {
  if (name !== '') return name
  throw new InvalidArgumentError('A topic has a name.')
}

function topicText({ topic, partitions, configs }: Described): string {
  const settings = configs.map(({ name, value, source }) => `\tConfig: ${name}=${value ?? ''}\tSource: ${source}\n`)
  const lines = partitions.map(({ partition, offline, logStartOffset, highWatermark }) => {
    const offsets = offline ? 'offline' : `LogStartOffset: ${logStartOffset}\tHighWatermark: ${highWatermark}`
    return `\tTopic: ${topic}\tPartition: ${partition}\t${offsets}\n`
  })
  return `Topic: ${topic}\tPartitionCount: ${partitions.length}\n${settings.join('')}${lines.join('')}`
}

function topicJson({ topic, partitions, configs }: Described): unknown {
  const described = partitions.map(({ partition, offline, logStartOffset, highWatermark }) =>
    offline ? { partition, offline } : { partition, logStartOffset, highWatermark },
  )
  return { topic, partitions: described, configs }
}
