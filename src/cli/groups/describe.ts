import type { Command } from 'commander'
import type { GroupLag } from '../../client/admin/group-lag.js'
import { type BrokerAddress, withAdmin, withBootstrapServer } from '../bootstrap.js'
import { createCommand, examples } from '../command-line.js'
import { UsageError } from '../failure.js'
import { type JsonOption, withJson, writeList } from '../listing.js'
import { groupsJson, lagTable, membersTable, statesTable } from './group-text.js'

interface DescribeOptions extends JsonOption {
  bootstrapServer: BrokerAddress
  members?: true
  state?: true
}

/** `mykafka groups describe` */
export function describeGroupsCommand(): Command {
  return withJson(withBootstrapServer(createCommand('groups describe')))
    .description('Describe a group, or all: what it committed, its lag by partition, and who reads.')
    .argument('[group]', 'default: all groups')
    .option('--members', 'the live members, and their partitions')
    .option('--state', 'what the group is doing, and how it shares out partitions')
    .addHelpText(
      'after',
      examples(
        'mykafka groups describe board',
        'mykafka groups describe board --members',
        'mykafka groups describe --json',
      ),
    )
    .action(async (group: string | undefined, options: DescribeOptions) => {
      if (options.members && options.state) throw new UsageError('--members and --state: one at a time')
      const names = group === undefined ? undefined : [group]
      const groups = await withAdmin(options.bootstrapServer, (admin) => admin.describeGroupLags(names))
      if (!options.json) tellOfEmpty(groups, options)
      const show = options.members ? membersTable : options.state ? statesTable : lagTable
      await writeList(groups, options, { text: show, json: groupsJson })
    })
}

/** As Kafka's tool: beside the list, not in it. */
function tellOfEmpty(groups: readonly GroupLag[], { state }: DescribeOptions): void {
  if (state) return
  for (const { groupId, members, state } of groups) {
    if (members.length > 0) continue
    const why = state === 'Empty' ? 'has no active members' : `is ${state}`
    process.stderr.write(`mykafka groups: the group ${groupId} ${why}\n`)
  }
}
