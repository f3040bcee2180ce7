import type { Command } from 'commander'
import { createCommand, examples } from '../command-line.js'
import { type JsonOption, withJson } from '../listing.js'

/** `mykafka verify` */
export function verifyCommand(): Command {
  return withJson(createCommand('verify'))
    .description('Check logs on the disk: every CRC, every index against its log, missing offsets. Reads only.')
    .argument('<dir>', "a data directory, a topic's, a partition's, or that of an embedded log")
    .option('--live', 'verify a directory that a broker holds, below the recovery points')
    .addHelpText(
      'after',
      `
The exit code is 0 where all is sound, 1 where something is damaged, 2 where the directory could not be verified.
${examples(
  'mykafka verify ./mykafka-data',
  'mykafka verify ./mykafka-data/flights/0 --json',
  'mykafka verify ./mykafka-data --live',
)}`,
    )
    .action(async (path: string, { live, json }: JsonOption & { live?: true }) => {
      const { verify } = await import('../verify/verify.js')
      await verify(path, { live: live ?? false, json: json ?? false })
    })
}
