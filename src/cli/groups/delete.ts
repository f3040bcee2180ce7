import type { Command } from 'commander'
import { type BrokerAddress, withAdmin, withBootstrapServer } from '../bootstrap.js'
import { createCommand, examples } from '../command-line.js'
import { Output } from '../output.js'

/** `mykafka groups delete` */
export function deleteGroupCommand(): Command {
  return withBootstrapServer(createCommand('groups delete'))
    .description('Delete a group without members, and all that it committed.')
    .argument('<group>')
    .addHelpText('after', examples('mykafka groups delete board'))
    .action(async (group: string, { bootstrapServer }: { bootstrapServer: BrokerAddress }) => {
      await withAdmin(bootstrapServer, (admin) => admin.deleteGroups([group]))
      await new Output().write(`Deleted group ${group}.\n`)
    })
}
