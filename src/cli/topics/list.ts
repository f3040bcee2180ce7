import type { Command } from 'commander'
import type { TopicMetadata } from '../../wire/mykafka/metadata.js'
import { type BrokerAddress, withBootstrapServer, withClient } from '../bootstrap.js'
import { createCommand, examples } from '../command-line.js'
import { Output } from '../output.js'

interface ListOptions {
  bootstrapServer: BrokerAddress
  json?: true
}

/** `mykafka topics list` */
export function listCommand(): Command {
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

/** In the order of their names. */
export function byName(topics: readonly TopicMetadata[]): TopicMetadata[] {
  return [...topics].sort((a, b) => (a.topic < b.topic ? -1 : 1))
}
