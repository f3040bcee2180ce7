// Opens logs and drops them, with the garbage collector called by hand: see test/hazards/garbage.test.ts.
import { mkdirSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { Log } from 'mykafka'

const require = createRequire(import.meta.url)
const addon = require('../../scripts/addon.cjs')
const native = require('bindings')({
  bindings: 'mykafka',
  module_root: addon.root,
  try: addon.candidates().map((path) => ['module_root', join(...path)]),
})
const [what, count, directory] = process.argv.slice(2)
const descriptors = () => readdirSync('/proc/self/fd').length
// What no log holds is gone behind these; a finalizer runs in a turn of its own.
const collect = async () => {
  for (let i = 0; i < 4; i++) {
    globalThis.gc()
    await turn()
  }
}

async function closedLogs(count, first) {
  const one = async (i) => {
    const log = await Log.open(join(directory, String(i)), { segmentBytes: 1024, fsync: 'never' })
    for (let n = 0; n < 3; n++) await log.append({ key: 'k', value: Buffer.alloc(600) })
    await log.read(0)
    await log.close()
  }
  for (let i = first; i < first + count; i += 20) await Promise.all(Array.from({ length: 20 }, (_, n) => one(i + n)))
}

async function openLogs(count, first) {
  for (let i = first; i < first + count; i++) {
    const log = await Log.open(join(directory, String(i)), { segmentBytes: 1024 })
    await log.append({ value: Buffer.alloc(2000) })
    // Under way when nobody holds the log any more.
    log.append({ value: Buffer.alloc(500_000) }, { acks: 'all' }).catch(() => {})
    log.flush().catch(() => {})
    log.read(0).catch(() => {})
  }
}

/** Segments that nobody closes, with work under way. */
async function droppedSegments(count, first) {
  const nullKey = Buffer.from('ffffffff', 'hex')
  const value = Buffer.concat([nullKey, Buffer.from('00030000', 'hex'), Buffer.alloc(0x30000)])
  const work = []
  for (let i = first; i < first + count; i++) {
    const path = join(directory, String(i))
    mkdirSync(path)
    const options = { directory: path, baseOffset: 0, indexIntervalBytes: 0, indexMaxBytes: 4096 }
    const segment = native.createSegment(options)
    segment.append([value], [1], [0], 0)
    segment.pin()
    work.push(segment.appendAsync([value, value], [1, 1], [0, 0], 1))
    work.push(segment.sync(), segment.verify(), segment.readAsync(new Uint8Array(1000), 5))
    work.push(segment.findRangeAsync(0, 1, 1, new Float64Array(5)))
    if (i % 10 === 0) globalThis.gc()
  }
  await Promise.all(work)
}

const kinds = { closedLogs, openLogs, droppedSegments }
await kinds[what](20, 0)
await collect()
const before = descriptors()
await kinds[what](Number(count), 20)
await collect()
console.log(JSON.stringify({ before, after: descriptors() }))
