import { readFileSync } from 'node:fs'
import { type Command, CommanderError } from 'commander'
import { createCommand, examples } from './command-line.js'
import { EXIT, reportingFailure } from './failure.js'

const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./commands/serve.js')).serveCommand(),
  topics: async () => (await import('./commands/topics.js')).topicsCommand(),
  groups: async () => (await import('./commands/groups.js')).groupsCommand(),
  partitions: async () => (await import('./commands/partitions.js')).partitionsCommand(),
  produce: async () => (await import('./commands/produce.js')).produceCommand(),
  consume: async () => (await import('./commands/consume.js')).consumeCommand(),
  perf: async () => (await import('./commands/perf.js')).perfCommand(),
  verify: async () => (await import('./commands/verify.js')).verifyCommand(),
  'dump-log': async () => (await import('./commands/dump-log.js')).dumpLogCommand(),
  completion: async () => (await import('./commands/completion.js')).completionCommand(wholeProgram),
}

/** The program with everything that can be asked for. */
export async function wholeProgram(): Promise<Command> {
  const program = createProgram().version(version(), '-v, --version', 'show the version')
  for (const load of Object.values(COMMANDS)) program.addCommand(await load())
  return program
}

/** Runs what the arguments ask for. Returns the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const name = args[0] ?? ''
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  const program = load === undefined ? await wholeProgram() : createProgram().addCommand(await load())
  let usage: CommanderError | undefined
  const exitCode = await reportingFailure(name, async () => {
    await program.parseAsync(args, { from: 'user' }).catch((error) => {
      if (!(error instanceof CommanderError)) throw error
      usage = error
    })
  })
  return usage === undefined ? exitCode : usageExit(usage, args)
}

function createProgram(): Command {
  return createCommand('')
    .description('A log broker: topics, partitions, offsets, in one process and one directory.')
    .addHelpText(
      'after',
      examples(
        'mykafka serve --data-dir ./data',
        'mykafka topics create flights --partitions 6',
        'printf "AMS:late\\nSFO:on time\\n" | mykafka produce flights --key-separator :',
        'mykafka consume flights --from-beginning --group board',
        'mykafka COMMAND --help',
      ),
    )
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** Commander has written its line already, but for a command that is missing. */
function usageExit(error: CommanderError, args: readonly string[]): number {
  if (error.exitCode === 0) return EXIT.ok
  if (error.code === 'commander.help') {
    const path = ['mykafka', ...args].join(' ')
    process.stderr.write(`${path}: a command is missing, see ${path} --help\n`)
  }
  return EXIT.usage
}
