import { readFileSync } from 'node:fs'

/** Reads a file of test/vectors. */
export function readVectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8')) as T
}

/** A frame of frames.json, its length prefix included. */
export function frameVector(name: string): Buffer {
  const found = readVectors<{ name: string; bytes: string }[]>('frames.json').find((vector) => vector.name === name)
  if (found === undefined) throw new Error(`no vector ${name}`)
  return Buffer.from(found.bytes, 'hex')
}
