import { reportingFailure } from '../failure.js'
import { serve } from './serve.js'
import { noArguments, SERVE_FLAGS, type ServeArguments } from './serve-flags.js'

/**
 * Serves without commander, whose loading takes a good part of a start. Returns null, with nothing done, where there
 * is something to explain: help, or a mistake.
 */
export async function servePlainly(args: readonly string[]): Promise<number | null> {
  const plain = readPlainArguments(args)
  return plain === null ? null : await reportingFailure('serve', () => serve(plain))
}

/** The arguments, where they are nothing but known flags with right values. */
export function readPlainArguments(args: readonly string[]): ServeArguments | null {
  const read = noArguments()
  for (let i = 0; i < args.length; i++) {
    const [name, ...inline] = (args[i] as string).split('=')
    const flag = SERVE_FLAGS.find(({ usage }) => usage.split(' ', 1)[0] === name)
    const value = inline.length > 0 ? inline.join('=') : args[++i]
    if (flag === undefined || value === undefined || value.startsWith('-')) return null
    try {
      flag.read(value, read)
    } catch {
      return null
    }
  }
  return read
}
