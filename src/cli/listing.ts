import type { Command } from 'commander'
import { Output } from './output.js'
import { jsonText } from './visible.js'

/** What `--json` leaves among a command's options. */
export interface JsonOption {
  json?: true | undefined
}

/** Adds `--json`, which every command has that lists something. */
export function withJson(command: Command): Command {
  return command.option('--json', 'one JSON object a line')
}

/** A line for a program. */
export function jsonLine(value: unknown): string {
  return `${jsonText(value)}\n`
}

/** How a list is shown. */
export interface ListForm<T> {
  /** All of it, for people. */
  readonly text: (items: readonly T[]) => string
  /** One of it, for programs. Default: as it is. */
  readonly json?: (item: T) => unknown
}

/** Writes a list: an object a line where `--json` asks for it, else the text. */
export async function writeList<T>(items: readonly T[], { json }: JsonOption, form: ListForm<T>): Promise<void> {
  const object = form.json ?? ((item: T): unknown => item)
  await new Output().write(json ? items.map((item) => jsonLine(object(item))).join('') : form.text(items))
}
