import { type Command, InvalidArgumentError } from 'commander'
import { MyKafkaError } from '../../errors.js'
import type { TopicMetadata } from '../../wire/mykafka/metadata.js'
import { type BrokerAddress, withBootstrapServer, withClient } from '../bootstrap.js'
import { createCommand, examples, integerBetween } from '../command-line.js'
import { Output } from '../output.js'

const MAX_INT32 = 2147483647

interface ListOptions {
  bootstrapServer: BrokerAddress
  json?: true
}

interface CreateOptions {
  bootstrapServer: BrokerAddress
  partitions: number
  ifNotExists?: true
}

/** `mykafka topics create|list|describe` */
export function topicsCommand(): Command {
  return createCommand('topics')
    .description('Create, list and describe topics.')
    .addCommand(createTopicCommand())
    .addCommand(listCommand())
    .addCommand(describeCommand())
    .addHelpText(
      'after',
      examples(
        'mykafka topics create flights --partitions 6',
        'mykafka topics list',
        'mykafka topics describe flights',
      ),
    )
}

function createTopicCommand(): Command {
  return withBootstrapServer(createCommand('topics create'))
    .description('Create a topic.')
    .argument('<name>', 'letters, digits, ".", "_" and "-"')
    .option('--partitions <n>', 'number of partitions', integerBetween(1, MAX_INT32), 1)
    .option('--if-not-exists', 'leave a topic that exists as it is')
    .addHelpText('after', examples('mykafka topics create flights --partitions 6'))
    .action(async (name: string, { bootstrapServer, partitions, ifNotExists }: CreateOptions) => {
      const outcome = await withClient(bootstrapServer, (client) => client.createTopic(name, partitions))
      if (outcome === 'created') await new Output().write(`Created topic ${name}.\n`)
      else if (!ifNotExists) throw new MyKafkaError('TOPIC_ALREADY_EXISTS', `the topic ${name} exists already`)
    })
}

function listCommand(): Command {
  return withBootstrapServer(createCommand('topics list'))
    .description('List the names of all topics.')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', examples('mykafka topics list', 'mykafka topics list --json'))
    .action(async ({ bootstrapServer, json }: ListOptions) => {
      const topics = await withClient(bootstrapServer, (client) => client.metadata())
      const line = ({ topic, partitions }: TopicMetadata): string =>
        json ? `${JSON.stringify({ topic, partitionCount: partitions.length })}\n` : `${topic}\n`
      await new Output().write(byName(topics).map(line).join(''))
    })
}

function describeCommand(): Command {
  return withBootstrapServer(createCommand('topics describe'))
    .description('Describe a topic, or all: its partitions, with log start offset and high watermark.')
    .argument('[name]', 'default: all topics', parseName)
    .option('--json', 'one JSON object a line')
    .addHelpText('after', examples('mykafka topics describe flights', 'mykafka topics describe --json'))
    .action(async (name: string | undefined, { bootstrapServer, json }: ListOptions) => {
      const topics = await withClient(bootstrapServer, (client) => client.metadata(name))
      await new Output().write(
        byName(topics)
          .map(json ? describeAsJson : describe)
          .join(''),
      )
    })
}

/** On the wire the empty name asks for all topics, which is not what was typed. */
function parseName(name: string): string {
  if (name !== '') return name
  throw new InvalidArgumentError('A topic has a name.')
}

function byName(topics: readonly TopicMetadata[]): TopicMetadata[] {
  return [...topics].sort((a, b) => (a.topic < b.topic ? -1 : 1))
}

function describe({ topic, partitions }: TopicMetadata): string {
  const lines = partitions.map(({ logStartOffset, highWatermark }, partition) => {
    const offsets = highWatermark < 0 ? 'offline' : `LogStartOffset: ${logStartOffset}\tHighWatermark: ${highWatermark}`
    return `\tTopic: ${topic}\tPartition: ${partition}\t${offsets}\n`
  })
  return `Topic: ${topic}\tPartitionCount: ${partitions.length}\n${lines.join('')}`
}

function describeAsJson({ topic, partitions }: TopicMetadata): string {
  const described = partitions.map(({ logStartOffset, highWatermark }, partition) =>
    highWatermark < 0 ? { partition, offline: true } : { partition, logStartOffset, highWatermark },
  )
  return `${JSON.stringify({ topic, partitions: described })}\n`
}
