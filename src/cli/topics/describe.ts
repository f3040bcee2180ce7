import { type Command, InvalidArgumentError } from 'commander'
import type { ConfigEntry } from '../../client/kafka-admin.js'
import type { TopicMetadata } from '../../wire/mykafka/metadata.js'
import { type BrokerAddress, withAdmin, withBootstrapServer, withClient } from '../bootstrap.js'
import { createCommand, examples } from '../command-line.js'
import { UsageError } from '../failure.js'
import { Output } from '../output.js'
import { byName } from './list.js'
import { storageText } from './storage-text.js'

interface DescribeOptions {
  bootstrapServer: BrokerAddress
  configs?: true
  storage?: true
  json?: true
}

interface Described extends TopicMetadata {
  readonly configs: readonly ConfigEntry[]
}

/** `mykafka topics describe` */
export function describeCommand(): Command {
  return withBootstrapServer(createCommand('topics describe'))
    .description(
      'Describe a topic, or all: partitions with their offsets, and the configurations that are not default.',
    )
    .argument('[name]', 'default: all topics', parseName)
    .option('--configs', 'every configuration, with where it has its value from: topic, broker or default')
    .option('--storage', 'the segments on the disk, and why each is still there')
    .option('--json', 'one JSON object a line')
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
  const { bootstrapServer, configs: all, json } = options
  const topics = byName(await withClient(bootstrapServer, (client) => client.metadata(name)))
  const configs = await withAdmin(bootstrapServer, (admin) => admin.describeConfigs(topics.map(({ topic }) => topic)))
  const described = topics.map((topic): Described => {
    const entries = configs.get(topic.topic) ?? []
    return { ...topic, configs: all ? entries : entries.filter(({ source }) => source !== 'default') }
  })
  await new Output().write(described.map(json ? topicJson : topicText).join(''))
}

async function describeStorage(name: string | undefined, options: DescribeOptions): Promise<void> {
  const { bootstrapServer, json } = options
  const output = new Output()
  await withClient(bootstrapServer, async (client) => {
    const names = name === undefined ? byName(await client.metadata()).map(({ topic }) => topic) : [name]
    for (const topic of names) {
      const storage = await client.describeStorage(topic)
      await output.write(json ? `${JSON.stringify(storage)}\n` : storageText(storage))
    }
  })
}

/** On the wire the empty name asks for all topics, which is not what was typed. */
function parseName(name: string): string {
  if (name !== '') return name
  throw new InvalidArgumentError('A topic has a name.')
}

function topicText({ topic, partitions, configs }: Described): string {
  const settings = configs.map(({ name, value, source }) => `\tConfig: ${name}=${value ?? ''}\tSource: ${source}\n`)
  const lines = partitions.map(({ logStartOffset, highWatermark }, partition) => {
    const offsets = highWatermark < 0 ? 'offline' : `LogStartOffset: ${logStartOffset}\tHighWatermark: ${highWatermark}`
    return `\tTopic: ${topic}\tPartition: ${partition}\t${offsets}\n`
  })
  return `Topic: ${topic}\tPartitionCount: ${partitions.length}\n${settings.join('')}${lines.join('')}`
}

function topicJson({ topic, partitions, configs }: Described): string {
  const described = partitions.map(({ logStartOffset, highWatermark }, partition) =>
    highWatermark < 0 ? { partition, offline: true } : { partition, logStartOffset, highWatermark },
  )
  return `${JSON.stringify({ topic, partitions: described, configs })}\n`
}
