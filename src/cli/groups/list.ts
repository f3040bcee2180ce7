import type { Command } from 'commander'
import { type BrokerAddress, withAdmin, withBootstrapServer } from '../bootstrap.js'
import { createCommand, examples } from '../command-line.js'
import { type JsonOption, withJson, writeList } from '../listing.js'
import { table } from '../table.js'
import { visible } from '../visible.js'

interface ListOptions extends JsonOption {
  bootstrapServer: BrokerAddress
  state?: true
}

/** `mykafka groups list` */
export function listGroupsCommand(): Command {
  return withJson(withBootstrapServer(createCommand('groups list')))
    .description('List the names of all groups, those that only commit too.')
    .option('--state', 'what each is doing: Stable, Empty, PreparingRebalance, CompletingRebalance')
    .addHelpText('after', examples('mykafka groups list', 'mykafka groups list --state'))
    .action(async (options: ListOptions) => {
      const groups = await withAdmin(options.bootstrapServer, (admin) => admin.listGroups())
      await writeList(groups, options, {
        text: () =>
          options.state
            ? table(
                ['GROUP', 'TYPE', 'STATE'],
                groups.map(({ groupId, protocolType, state }) => [groupId, protocolType, state]),
              )
            : groups.map(({ groupId }) => `${visible(groupId)}\n`).join(''),
      })
    })
}
