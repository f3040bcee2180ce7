import type { Command } from 'commander'
import { createCommand, examples } from '../command-line.js'
import { type JsonOption, withJson } from '../listing.js'

/** `mykafka dump-log` */
export function dumpLogCommand(): Command {
  return withJson(createCommand('dump-log'))
    .description("List the entries of a log file, or of all in a partition's directory. Reads only; a broker may run.")
    .argument('<path>', 'a .log file or a directory <data>/<topic>/<partition>')
    .option('--index', 'list the .index and .timeindex beside each .log too, each entry checked against the log')
    .addHelpText(
      'after',
      `
The exit code is 1 where something is damaged.
${examples(
  'mykafka dump-log ./mykafka-data/flights/0',
  'mykafka dump-log ./mykafka-data/flights/0/00000000000000000000.log --index --json',
)}`,
    )
    .action(async (path: string, { index, json }: JsonOption & { index?: true }) => {
      const { dumpLog } = await import('../dump-log/dump-log.js')
      await dumpLog(path, { index: index ?? false, json: json ?? false })
    })
}
