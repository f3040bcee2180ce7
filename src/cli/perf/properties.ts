import { InvalidArgumentError } from 'commander'

/** Options of the SDK by Kafka's names of them. */
export type Properties = Readonly<Record<string, string | number | boolean>>

/**
 * Reads `linger.ms=5` into `{ lingerMs: 5 }`, one more of those before it.
 *
 * @param known - Kafka's names of what may be said
 */
export function property(known: readonly string[]): (text: string, before: Properties | undefined) => Properties {
  return (text, before) => {
    const at = text.indexOf('=')
    const name = text.slice(0, at)
    if (at < 1) throw new InvalidArgumentError('It must be NAME=VALUE.')
    if (!known.includes(name)) throw new InvalidArgumentError(`${name} is none of ${known.join(', ')}.`)
    return { ...before, [optionName(name)]: parsed(text.slice(at + 1)) }
  }
}

/** Whose option has a shorter name than Kafka's. */
const SHORT_NAMES: Readonly<Record<string, string>> = { 'max.in.flight.requests.per.connection': 'max.in.flight' }

function optionName(kafkaName: string): string {
  const name = SHORT_NAMES[kafkaName] ?? kafkaName
  return name.replace(/\.(.)/g, (_, letter: string) => letter.toUpperCase())
}

function parsed(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text
}
