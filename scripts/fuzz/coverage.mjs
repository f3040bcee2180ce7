// Which lines of the parsers a corpus reaches, by clang's own instrumentation.
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'

/**
 * What reads bytes that others wrote, from a disk or a client: the formats, the walks over them, the indexes, and those
 * who ask for entries and take them apart (compaction among them, with the file that it writes of what it read; appends,
 * which take apart what is sent). Not: checksums and hashes of whatever bytes, tables in memory, what opens, maps, syncs
 * and sends files without looking into them, and segment.cc and segment_append.cc, which call these.
 */
const PARSERS =
  /native\/core\/(append_layout|record|record_batch|batch_filter|entry|entry_scanner|header_walk|range_crc|resync|offset_index|time_index|mapped_index|index_slots|log_check|segment_(recovery|verify|walk|lookup|search|times)|verified_runs|clean_(reader|run|writer)|cleaner)\.cc$|native\/core\/(record_reader|entry_scanner|header_walk|offset_index|time_index|segment_walk|clean_reader|clean_run|verified_runs)\.h$/

function tool(name) {
  for (const path of [`/usr/lib/llvm-14/bin/${name}`, `/usr/bin/${name}-14`, `/usr/bin/${name}`]) {
    if (existsSync(path)) return path
  }
  throw new Error(`there is no ${name}: apt-get install llvm-14`)
}

/** Lines that are covered, file by file. Each of `inputs` is a target and the folder with its corpus. */
export function coverageOf(binary, inputs, scratch, run) {
  const profiles = inputs.map(({ target, folder }) => {
    const profile = join(scratch, `${target}.profraw`)
    const args = [`--target=${target}`, '-runs=0', '-rss_limit_mb=4096', folder]
    const { status, stderr } = run(binary, args, { env: { ...process.env, LLVM_PROFILE_FILE: profile } })
    if (status !== 0) throw new Error(stderr)
    return profile
  })
  const merged = join(scratch, 'fuzz.profdata')
  const joined = run(tool('llvm-profdata'), ['merge', '-sparse', ...profiles, '-o', merged])
  if (joined.status !== 0) throw new Error(joined.stderr)
  const exported = run(tool('llvm-cov'), ['export', binary, `-instr-profile=${merged}`, '-summary-only'])
  if (exported.status !== 0) throw new Error(exported.stderr)
  const files = new Map()
  for (const { filename, summary } of JSON.parse(exported.stdout).data[0].files) {
    if (!PARSERS.test(filename)) continue
    const file = `native/core/${basename(filename)}`
    const { covered, count: lines } = summary.lines
    // A header may be there under two names.
    if (lines > (files.get(file)?.lines ?? 0)) files.set(file, { file, covered, lines })
  }
  return [...files.values()].sort((a, b) => (a.file < b.file ? -1 : 1))
}
