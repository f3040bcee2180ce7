/** Runs before the tests: installs the clients, and tells the tests which there are. */
import type { TestProject } from 'vitest/node'
import { ClientProgram } from './client-program.js'
import { CLIENTS, type Client } from './clients.js'

/** What came of installing a client. */
export interface Installed {
  readonly name: string
  readonly version?: string
  /** What of the examples it cannot write, or does not tell apart when it reads. */
  readonly limits: readonly string[]
  /** Why it is not there. */
  readonly reason?: string
}

declare module 'vitest' {
  interface ProvidedContext {
    clients: readonly Installed[]
  }
}

/** MYKAFKA_INTEROP_CLIENTS=ci takes the clients that CI runs; a list of names, parted by commas, takes those. */
export function chosenClients(): readonly Client[] {
  const choice = process.env.MYKAFKA_INTEROP_CLIENTS ?? ''
  if (choice === '') return CLIENTS
  if (choice === 'ci') return CLIENTS.filter(({ inCi }) => inCi)
  const names = choice.split(',')
  const unknown = names.filter((name) => !CLIENTS.some((client) => client.name === name))
  if (unknown.length > 0) throw new Error(`no such client: ${unknown.join(', ')}`)
  return CLIENTS.filter(({ name }) => names.includes(name))
}

async function install(client: Client): Promise<Installed> {
  const { name, cannotWrite = [], confuses, alwaysResetsToEarliest } = client
  const limits = [
    ...cannotWrite.map((feature) => `writes no ${feature}`),
    ...(confuses === undefined ? [] : [`confuses ${confuses}`]),
    ...(alwaysResetsToEarliest ? ['always goes on at the earliest where what it is to read is gone'] : []),
  ]
  try {
    await client.install()
    const [event] = await new ClientProgram(client.name, client.program, ['version']).finished()
    return { name, version: String(event?.version), limits }
  } catch (error) {
    return { name, limits, reason: error instanceof Error ? error.message : String(error) }
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const clients: Installed[] = []
  // One after the other: npm, pip and Maven do not share their caches well.
  for (const client of chosenClients()) {
    const installed = await install(client)
    clients.push(installed)
    if (installed.reason === undefined) console.log(`${installed.name} ${installed.version}`)
    else console.log(`${installed.name} is not run: ${installed.reason}`)
    if (installed.reason !== undefined && client.inCi) throw new Error(`${installed.name} must be there`)
  }
  project.provide('clients', clients)
}
