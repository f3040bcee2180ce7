import type { Command } from 'commander'
import { type BrokerAddress, withAdmin, withBootstrapServer } from '../bootstrap.js'
import { createCommand, examples } from '../command-line.js'
import { type JsonOption, withJson, writeList } from '../listing.js'

interface ListOptions extends JsonOption {
  bootstrapServer: BrokerAddress
}

/** `mykafka topics list` */
export function listCommand(): Command {
  return withJson(withBootstrapServer(createCommand('topics list')))
    .description('List the names of all topics.')
    .addHelpText('after', examples('mykafka topics list', 'mykafka topics list --json'))
    .action(async (options: ListOptions) => {
      const topics = await withAdmin(options.bootstrapServer, (admin) => admin.describeTopics())
      await writeList(topics, options, {
        text: () => topics.map(({ topic }) => `${topic}\n`).join(''),
        json: ({ topic, partitions }) => ({ topic, partitionCount: partitions.length }),
      })
    })
}
