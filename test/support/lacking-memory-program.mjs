// Asks native code for more memory than the process can have: see test/hazards/lacking-memory.test.ts.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import 'mykafka'

const require = createRequire(import.meta.url)
const addon = require('../../scripts/addon.cjs')
const native = require('bindings')({
  bindings: 'mykafka',
  module_root: addon.root,
  try: addon.candidates().map((path) => ['module_root', join(...path)]),
})
const MEBIBYTE = 1 << 20
const [directory] = process.argv.slice(2)

const NULL_KEY = Buffer.from('ffffffff', 'hex')
/** Records that are copied into one buffer when they are appended. */
const record = Buffer.concat([NULL_KEY, Buffer.from('0000fff0', 'hex'), Buffer.alloc(0xfff0)])
const batch = Buffer.concat(Array(16).fill(record))
const batches = Array(400).fill(batch)
const counts = Array(400).fill(16)
const times = Array(400).fill(0)

const segment = native.createSegment({ directory, baseOffset: 0, indexIntervalBytes: 0, indexMaxBytes: 1 << 20 })
segment.append([record], [1], [0], 0)
const used = Number(/^VmSize:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024
execFileSync('prlimit', ['--pid', String(process.pid), `--as=${used + 200 * MEBIBYTE}`])

const told = ({ code, errno, message }) => ({ code, errno, message })
const outcomes = []
try {
  segment.append(batches, counts, times, 1)
} catch (error) {
  outcomes.push(told(error))
}
outcomes.push(await segment.appendAsync(batches, counts, times, 1).catch(told))
segment.append([record], [1], [0], 1)
console.log(JSON.stringify({ outcomes, nextOffset: segment.nextOffset() }))
