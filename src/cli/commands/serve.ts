import { type Command, InvalidArgumentError } from 'commander'
import { createCommand, examples } from '../command-line.js'
import { serve } from '../serve/serve.js'
import { noArguments, SERVE_FLAGS } from '../serve/serve-flags.js'

/**
 * `mykafka serve`
 *
 * @param start - what is done with what was read
 */
export function serveCommand(start: typeof serve = serve): Command {
  const given = noArguments()
  const command = createCommand('serve').description('Start a broker.')
  for (const { usage, description, read } of SERVE_FLAGS) {
    command.option(usage, description, (text: string) => {
      try {
        read(text, given)
      } catch (error) {
        throw new InvalidArgumentError((error as Error).message)
      }
    })
  }
  return command
    .addHelpText(
      'after',
      examples(
        'mykafka serve',
        'mykafka serve --data-dir /var/lib/mykafka --host 0.0.0.0 --fsync always',
        'mykafka serve --port 0 --segment-bytes 1048576 --log-level debug',
        'mykafka serve --config server.properties',
      ),
    )
    .action(() => start(given))
}
