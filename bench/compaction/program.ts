/** Compacts a log to the end, as the broker does it, in a process of its own, and tells what that took: see ../compaction.ts. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Throttle } from '../../src/log/compaction/throttle.js'
import { DEFAULT_CLEANER_CONFIG } from '../../src/topic/log-cleaner.js'
import { type Entries, openLog } from './keyed-log.js'

/** What it tells. */
export interface Compacted {
  readonly milliseconds: number
  readonly passes: number
  /** Of the log that was compacted, before and behind it. */
  readonly bytesBefore: number
  readonly bytesAfter: number
  readonly records: number
  readonly keys: number
  /** Megabytes in memory before it, and the most while it went on. */
  readonly rssMiB: number
  readonly peakMiB: number
  /** The longest that the event loop did not turn, in milliseconds. */
  readonly longestTurn: number
  /** Of all threads, in milliseconds. */
  readonly cpuMs: number
}

const MIB = 1 << 20
const MAX_PLAIN_BYTES = 64 * MIB

const [directory, entries, segmentBytes] = process.argv.slice(2) as [string, Entries, string]
const log = await openLog(directory, entries, Number(segmentBytes))
// A broker has synced what is sealed long before.
await log.flush()
const options = {
  ...DEFAULT_CLEANER_CONFIG,
  settings: {
    minCleanableDirtyRatio: 0,
    minCompactionLagMs: 0,
    maxCompactionLagMs: Number.MAX_SAFE_INTEGER,
    deleteRetentionMs: 86_400_000,
  },
  maxPlainBytes: MAX_PLAIN_BYTES,
  throttle: new Throttle(Number.POSITIVE_INFINITY),
  signal: new AbortController().signal,
}
const rssMiB = process.memoryUsage.rss() / MIB
const found = { passes: 0, bytesBefore: 0, bytesAfter: 0, records: 0, keys: 0 }
const turns = monitorEventLoopDelay({ resolution: 1 })
turns.enable()
const cpu = process.cpuUsage()
const begin = performance.now()
for (;;) {
  const report = await log.compaction.clean(options)
  if (report === null) break
  found.bytesBefore = found.passes++ === 0 ? report.bytesBefore : found.bytesBefore
  found.bytesAfter = report.bytesAfter
  found.records += report.recordsKept + report.recordsDropped
  found.keys += report.keys
}
const milliseconds = performance.now() - begin
turns.disable()
const { user, system } = process.cpuUsage(cpu)
const peakMiB = process.resourceUsage().maxRSS / 1024
await log.close()
const told: Compacted = {
  ...found,
  milliseconds,
  rssMiB,
  peakMiB,
  longestTurn: turns.max / 1e6,
  cpuMs: (user + system) / 1000,
}
console.log(JSON.stringify(told))
