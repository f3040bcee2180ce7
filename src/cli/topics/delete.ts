import type { Command } from 'commander'
import { type BrokerAddress, withAdmin, withBootstrapServer } from '../bootstrap.js'
import { createCommand, examples } from '../command-line.js'
import { Output } from '../output.js'

/** `mykafka topics delete` */
export function deleteCommand(): Command {
  return withBootstrapServer(createCommand('topics delete'))
    .description('Delete a topic, its records, and what groups committed for it.')
    .argument('<name>')
    .addHelpText('after', examples('mykafka topics delete flights'))
    .action(async (name: string, { bootstrapServer }: { bootstrapServer: BrokerAddress }) => {
      await withAdmin(bootstrapServer, (admin) => admin.deleteTopic(name))
      await new Output().write(`Deleted topic ${name}.\n`)
    })
}
