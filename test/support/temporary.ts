import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { behindEachTest } from './clean-up.js'

const made: string[] = []

/** A directory that is removed behind the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'mykafka-test-'))
  made.push(directory)
  return directory
}

behindEachTest(async () => {
  for (const directory of made.splice(0)) await rm(directory, { recursive: true, force: true })
})
