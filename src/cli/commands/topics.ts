import type { Command } from 'commander'
import { createCommand, examples } from '../command-line.js'
import { alterCommand } from '../topics/alter.js'
import { createTopicCommand } from '../topics/create.js'
import { deleteCommand } from '../topics/delete.js'
import { describeCommand } from '../topics/describe.js'
import { listCommand } from '../topics/list.js'

/** `mykafka topics create|list|describe|alter|delete` */
export function topicsCommand(): Command {
  return createCommand('topics')
    .description('Create, list, describe, alter and delete topics.')
    .addCommand(createTopicCommand())
    .addCommand(listCommand())
    .addCommand(describeCommand())
    .addCommand(alterCommand())
    .addCommand(deleteCommand())
    .addHelpText(
      'after',
      examples(
        'mykafka topics create flights --partitions 6',
        'mykafka topics list',
        'mykafka topics describe flights',
        'mykafka topics alter flights --partitions 8',
      ),
    )
}
