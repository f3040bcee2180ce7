import { type Command, InvalidArgumentError, Option } from 'commander'
import { createCommand, examples, nonEmpty } from '../command-line.js'
import { LOG_LEVELS, type LogLevel } from '../serve/log-level.js'
import { SETTINGS, type ServeSettings } from '../serve/settings.js'

/** `mykafka serve` */
export function serveCommand(): Command {
  const flags: ServeSettings = {}
  const command = createCommand('serve').description('Start a broker.')
  for (const { flag, description, read } of SETTINGS) {
    if (flag === undefined) continue
    command.option(flag, description ?? '', (text: string) => {
      try {
        Object.assign(flags, read(text))
      } catch (error) {
        throw new InvalidArgumentError((error as Error).message)
      }
    })
  }
  return command
    .option('--config <file>', "a properties file with Kafka's names; flags win over it", nonEmpty)
    .addOption(
      new Option('--log-level <level>', 'what is logged').choices(LOG_LEVELS).default('info' satisfies LogLevel),
    )
    .addHelpText(
      'after',
      examples(
        'mykafka serve',
        'mykafka serve --data-dir /var/lib/mykafka --host 0.0.0.0 --fsync always',
        'mykafka serve --port 0 --segment-bytes 1048576 --log-level debug',
        'mykafka serve --config server.properties',
      ),
    )
    .action(async ({ config, logLevel }: { config?: string; logLevel: LogLevel }) => {
      const fromFile = config === undefined ? {} : (await import('../serve/config-file.js')).readConfigFile(config)
      const { runBroker } = await import('../serve/run-broker.js')
      await runBroker({ ...fromFile, ...flags }, logLevel)
    })
}
