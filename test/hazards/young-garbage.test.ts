import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { Log } from '../../src/index.js'
import { temporaryDirectory } from '../support/temporary.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void

const APPENDS = 64
const VALUE = Buffer.alloc(128 << 10)

/** Bytes that buffers hold: they are freed on another thread, so once the figure stands still. */
async function bytesHeld(): Promise<number> {
  let held = process.memoryUsage().arrayBuffers
  for (let same = 0; same < 3; ) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    const now = process.memoryUsage().arrayBuffers
    same = now === held ? same + 1 : 0
    held = now
  }
  return held
}

it('leaves the memory of an append to the collector of what is young, however old the log is', async () => {
  const log = await Log.open(await temporaryDirectory(), { fsync: 'never' })
  const append = async (): Promise<void> => {
    await log.append({ value: VALUE })
    // Twice: then what the log keeps of it is old.
    for (let i = 0; i < 2; i++) collect({ type: 'minor' })
  }
  await append()
  const before = await bytesHeld()
  for (let i = 0; i < APPENDS; i++) await append()
  const grown = (await bytesHeld()) - before
  await log.close()
  expect(grown).toBeLessThan((APPENDS * VALUE.length) / 4)
})
