import { InvalidArgumentError } from 'commander'

/** Configurations by name, as `--config` collects them. */
export type ConfigOptions = Readonly<Record<string, string>>

/** Reads one more `NAME=VALUE`. */
export function collectConfig(text: string, before: ConfigOptions = {}): ConfigOptions {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must be NAME=VALUE, such as retention.ms=3600000.')
  return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1) }
}

/** Reads one more name. */
export function collectName(text: string, before: readonly string[] = []): readonly string[] {
  if (text === '' || text.includes('=')) throw new InvalidArgumentError('It must be a name, without a value.')
  return [...before, text]
}
