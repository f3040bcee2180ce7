import type { Command } from 'commander'
import { createCommand, examples } from '../command-line.js'
import { deleteGroupCommand } from '../groups/delete.js'
import { describeGroupsCommand } from '../groups/describe.js'
import { listGroupsCommand } from '../groups/list.js'
import { resetOffsetsCommand } from '../groups/reset-offsets.js'

/** `mykafka groups list|describe|reset-offsets|delete` */
export function groupsCommand(): Command {
  return createCommand('groups')
    .description('List, describe and delete groups, and set where they go on.')
    .addCommand(listGroupsCommand())
    .addCommand(describeGroupsCommand())
    .addCommand(resetOffsetsCommand())
    .addCommand(deleteGroupCommand())
    .addHelpText(
      'after',
      examples(
        'mykafka groups list',
        'mykafka groups describe board',
        'mykafka groups reset-offsets board --all-topics --to-earliest --execute',
      ),
    )
}
