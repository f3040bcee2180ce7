/**
 * What every client program here speaks: it is started as `client <scenario> <bootstrap> <arguments as JSON>`, prints a
 * JSON line for each thing that happened, and takes commands as lines of its standard input. Bytes travel as base64.
 */
import { createInterface } from 'node:readline'

/** Prints one event. */
export function emit(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`)
}

export function encode(bytes) {
  return bytes === null || bytes === undefined ? null : Buffer.from(bytes).toString('base64')
}

export function decode(text) {
  return text === null || text === undefined ? null : Buffer.from(text, 'base64')
}

/** One step of the scenario `topics`, and what came of it. */
export function step(name, value) {
  emit({ event: 'step', step: name, value })
}

/** What this client's interface has no call for. */
export function lacking(name) {
  emit({ event: 'step', step: name, lacking: true })
}

/** Calls `command` with each line of standard input, one after the other. */
export async function onCommands(command) {
  for await (const line of createInterface({ input: process.stdin })) await command(line.trim())
}

/** Asks until the answer will do; the runner ends a program that takes too long. */
export async function until(ask, willDo) {
  for (;;) {
    const answer = await ask()
    if (willDo(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** How many records of which topic are still to come. */
export class Expected {
  #left

  constructor(topics) {
    this.#left = new Map(Object.entries(topics))
  }

  get topics() {
    return [...this.#left.keys()]
  }

  /** Takes note of one; true where it was the last. */
  took(topic) {
    this.#left.set(topic, this.#left.get(topic) - 1)
    return [...this.#left.values()].every((left) => left <= 0)
  }
}

/** The offsets behind what a member of a group consumed of the partitions that it has. */
export class Positions {
  #next = new Map()

  assigned(partitions) {
    for (const partition of this.#next.keys()) if (!partitions.includes(partition)) this.#next.delete(partition)
    emit({ event: 'assigned', partitions: [...partitions].sort((a, b) => a - b) })
  }

  consumed(partition, offset) {
    this.#next.set(partition, Number(offset) + 1)
  }

  entries() {
    return [...this.#next]
  }

  committed() {
    emit({ event: 'committed', offsets: Object.fromEntries(this.#next) })
  }
}

/** Ends the program when all that it printed is on its way: a pipe takes it bit by bit. */
export function exit(code) {
  return new Promise(() => process.stdout.write('', () => process.exit(code)))
}

/** Runs the scenario that the arguments name. */
export async function main(scenarios) {
  const [scenario, bootstrap, args] = process.argv.slice(2)
  try {
    await scenarios[scenario](bootstrap, JSON.parse(args ?? '{}'))
    await exit(0)
  } catch (error) {
    console.error(error)
    await exit(1)
  }
}
