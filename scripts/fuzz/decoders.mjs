// Which lines of the decoders in TypeScript their tests reach: both wires, records, and what the disk holds beside them.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../addon.cjs'

const DECODERS = [
  'src/wire/**/*.ts',
  'src/log/{checkpoint,record-batch,record-cursor,record-codec,varint,compression*,loaded-codecs,producer-snapshot}.ts',
  'src/log/conversion/{batch-to-packed,batches-to-stored,limits,packed-to-batch,stored-*}.ts',
  'src/topic/{offset-key,offset-value,meta-properties,partition-metadata,stored-configs}.ts',
  'src/group/{group-record,subscription}.ts',
]
const TESTS = [
  'test/unit/wire',
  'test/unit/log',
  'test/unit/group',
  'test/unit/native',
  'test/unit/topic',
  'test/property',
]

/** Lines that are covered: file by file, but all generated codecs as one. */
export function decoderCoverage(scratch, run) {
  const folder = join(scratch, 'decoders')
  const include = DECODERS.map((pattern) => `--coverage.include=${pattern}`)
  const options = ['--coverage.enabled', '--coverage.reporter=json-summary', `--coverage.reportsDirectory=${folder}`]
  const args = ['vitest', 'run', '--project', 'unit', '--project', 'property', ...TESTS, ...options, ...include]
  const { status, stdout, stderr } = run('npx', [...args, '--coverage.exclude=src/wire/kafka/schema/**'])
  if (status !== 0) throw new Error(stdout + stderr)
  const summary = JSON.parse(readFileSync(join(folder, 'coverage-summary.json'), 'utf8'))
  const sums = new Map()
  for (const [path, { lines }] of Object.entries(summary)) {
    if (path === 'total' || lines.total === 0) continue
    const name = relative(root, path)
    const file = name.includes('/generated/') ? 'src/wire/kafka/generated' : name
    const sum = sums.get(file) ?? { file, covered: 0, lines: 0 }
    sums.set(file, { file, covered: sum.covered + lines.covered, lines: sum.lines + lines.total })
  }
  return [...sums.values()].sort((a, b) => (a.file < b.file ? -1 : 1))
}
