import { inject } from 'vitest'
import { CLIENTS, type Client } from './clients.js'

/** The clients that are here to be run. */
export function installedClients(): Client[] {
  const names = inject('clients').flatMap(({ name, reason }) => (reason === undefined ? [name] : []))
  return CLIENTS.filter(({ name }) => names.includes(name))
}

export function isInstalled({ name }: Client): boolean {
  return installedClients().some((client) => client.name === name)
}

/** For the tables of describe.each and it.each. */
export function byName<T extends { readonly name: string }>(all: readonly T[]): [name: string, item: T][] {
  return all.map((item) => [item.name, item])
}
