import type { ChildBroker } from './child-broker.js'

const MEBIBYTE = 1 << 20

/** Prints and returns by how many MiB the broker's memory has been above what it was. */
export async function growth(broker: ChildBroker, before: number, what: string): Promise<number> {
  const { peakRss } = await broker.ask('figures')
  const grown = Math.round((peakRss - before) / MEBIBYTE)
  console.log(`${what}: RSS ${Math.round(before / MEBIBYTE)} MiB before, at most ${grown} MiB more`)
  return grown
}
