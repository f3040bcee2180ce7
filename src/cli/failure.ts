import { MyKafkaError } from '../errors.js'
import { visible } from './visible.js'

/** Exit codes, as shells and Kafka's tools have them. */
export const EXIT = { ok: 0, failure: 1, usage: 2 } as const

/** A wrong option or value: one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What was asked for failed, and this line says all there is to say: exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}

/** The command ends early with nothing to say. */
export class QuietExit extends Error {
  override readonly name = 'QuietExit'
  readonly exitCode: number

  constructor(exitCode: number) {
    super(`exit ${exitCode}`)
    this.exitCode = exitCode
  }
}

/** The exit code that tells of an error. */
function exitCodeOf(error: unknown): number {
  if (error instanceof QuietExit) return error.exitCode
  return error instanceof UsageError ? EXIT.usage : EXIT.failure
}

/** One line for whoever typed the command; a stack only where the fault is ours. */
function describeError(error: unknown): string {
  if (error instanceof UsageError || error instanceof CommandFailure) return error.message
  if (error instanceof MyKafkaError) return visible(`${error.code}: ${withCause(error)}`)
  if (!(error instanceof Error)) return String(error)
  // A refusal by the system names itself: `EACCES: permission denied, mkdir '/data'`.
  return (error as NodeJS.ErrnoException).syscall === undefined ? (error.stack ?? error.message) : error.message
}

function withCause({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message
  const { code = cause.message } = cause as NodeJS.ErrnoException
  return message.includes(code) ? message : `${message}: ${cause.message}`
}

/** Runs a command. A failure is told in one line. Returns the exit code. */
export async function reportingFailure(command: string, work: () => Promise<void>): Promise<number> {
  try {
    await work()
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof QuietExit)) process.stderr.write(`mykafka ${command}: ${describeError(error)}\n`)
    return exitCodeOf(error)
  }
}
