// Fuzzes the core's parsers with libFuzzer (clang), as native/fuzz describes them: `npm run fuzz -- --help`.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './addon.cjs'
import { coverageOf } from './fuzz/coverage.mjs'
import { decoderCoverage } from './fuzz/decoders.mjs'
import { addToReport } from './fuzz/report.mjs'
import { seedsOf } from './fuzz/seeds.mjs'

const USAGE = `npm run fuzz -- [options]

  --seconds N    how long each target runs (10); 0 replays what there is
  --target NAME  this one alone
  --seed N       of libFuzzer's choices; by the clock otherwise
  --merge        what was found becomes the corpus, as little of it as reaches as much
  --coverage     which lines of the parsers the corpus and the seeds reach, and of those in TypeScript their tests
  --write        executions, seconds and coverage go to test/reports`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    target: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    merge: { type: 'boolean' },
    coverage: { type: 'boolean' },
    write: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit()
}

const corpora = join(root, 'native', 'fuzz', 'corpus')
const regressions = join(root, 'native', 'fuzz', 'regressions')
const found = join(root, 'build-fuzz', 'found')
const scratch = mkdtempSync(join(tmpdir(), 'mykafka-fuzz-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28, ...options })
  if (done.error) throw done.error
  return done
}

function build(preset) {
  for (const args of [
    ['--preset', preset],
    ['--build', '--preset', preset, '--target', 'core_fuzz'],
  ]) {
    const { status, stdout, stderr } = run('cmake', args)
    if (status !== 0) throw new Error(`cmake ${args.join(' ')} failed:\n${stdout}${stderr}`)
  }
  return join(root, `build-${preset}`, 'native', 'fuzz', 'core_fuzz')
}

const nameOf = (input) => createHash('sha1').update(input).digest('hex')

/** A folder with these inputs, as libFuzzer takes them. */
function folderOf(name, inputs) {
  const folder = join(scratch, name)
  mkdirSync(folder, { recursive: true })
  for (const input of inputs) writeFileSync(join(folder, nameOf(input)), input)
  return folder
}

/** An input a line: a corpus is one file, not thousands. */
function readCorpus(target) {
  const file = join(corpora, `${target}.txt`)
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Buffer.from(line, 'base64'))
}

function writeCorpus(target, inputs) {
  mkdirSync(corpora, { recursive: true })
  const lines = inputs
    .sort((a, b) => a.length - b.length || Buffer.compare(a, b))
    .map((each) => each.toString('base64'))
  writeFileSync(join(corpora, `${target}.txt`), `${lines.join('\n')}\n`)
}

const filesOf = (folder) =>
  existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name))) : []

const LIMITS = ['-max_len=4096', '-timeout=30', '-rss_limit_mb=1024', '-malloc_limit_mb=256']

function fuzz(binary, target) {
  const fresh = join(found, target)
  mkdirSync(fresh, { recursive: true })
  const seeds = folderOf(`${target}-seeds`, [
    ...readCorpus(target),
    ...seedsOf(target),
    ...filesOf(join(regressions, target)),
  ])
  const artifacts = join(scratch, `${target}-crashes`)
  mkdirSync(artifacts)
  const time = values.seconds === '0' ? '-runs=0' : `-max_total_time=${values.seconds}`
  const begun = Date.now()
  const { status, stderr } = run(
    binary,
    [
      `--target=${target}`,
      time,
      `-seed=${values.seed}`,
      ...LIMITS,
      '-print_final_stats=1',
      `-artifact_prefix=${artifacts}/`,
      fresh,
      seeds,
    ],
    { env: { ...process.env, ASAN_OPTIONS: 'detect_stack_use_after_return=1', UBSAN_OPTIONS: 'print_stacktrace=1' } },
  )
  const seconds = (Date.now() - begun) / 1000
  const executions = Number(/stat::number_of_executed_units:\s+(\d+)/.exec(stderr)?.[1] ?? 0)
  const reached = / cov: (\d+) ft: (\d+) corp: (\d+)/.exec(stderr.slice(stderr.lastIndexOf(' cov: ')))
  console.log(
    `${target.padEnd(13)} ${String(executions).padStart(9)} executions in ${seconds.toFixed(0)} s, ${reached?.[2] ?? '?'} features`,
  )
  if (status === 0) return { target, executions, seconds, crashes: 0 }
  for (const input of filesOf(artifacts)) {
    const folder = join(regressions, target)
    mkdirSync(folder, { recursive: true })
    const path = join(folder, nameOf(input))
    writeFileSync(path, input)
    console.log(`kept as ${path}; again: ${binary} --target=${target} ${path}`)
  }
  console.log(stderr.split('\n').slice(-60).join('\n'))
  return { target, executions, seconds, crashes: 1 }
}

/** The seeds are there with every run: what the corpus is for is what they do not reach. */
function merge(binary, target) {
  const seeds = seedsOf(target)
  const least = folderOf(`${target}-least`, seeds)
  const more = folderOf(`${target}-more`, [...readCorpus(target), ...filesOf(join(found, target))])
  const { status, stderr } = run(binary, [`--target=${target}`, '-set_cover_merge=1', ...LIMITS, least, more])
  if (status !== 0) throw new Error(stderr)
  const known = new Set(seeds.map(nameOf))
  const inputs = filesOf(least).filter((input) => !known.has(nameOf(input)))
  writeCorpus(target, inputs)
  const size = inputs.reduce((sum, { length }) => sum + length, 0)
  console.log(`${target.padEnd(13)} ${String(inputs.length).padStart(5)} inputs, ${(size / 1024).toFixed(1)} KiB`)
}

const binary = build('fuzz')
const names = run(binary, []).stdout.trim().split('\n')
if (values.target && !names.includes(values.target)) throw new Error(`the targets are ${names.join(', ')}`)
const targets = values.target ? [values.target] : names
let runs = []
if (values.merge) {
  for (const target of targets) merge(binary, target)
} else {
  console.log(`seed ${values.seed}`)
  runs = targets.map((target) => fuzz(binary, target))
}
let coverage = null
let decoders = null
if (values.coverage) {
  const inputs = targets.map((target) => ({
    target,
    folder: folderOf(`${target}-covered`, [
      ...readCorpus(target),
      ...seedsOf(target),
      ...filesOf(join(regressions, target)),
    ]),
  }))
  coverage = coverageOf(build('fuzz-coverage'), inputs, scratch, run)
  decoders = decoderCoverage(scratch, run)
  for (const { file, covered, lines } of [...coverage, ...decoders]) {
    console.log(`${file.padEnd(36)} ${((100 * covered) / lines).toFixed(1).padStart(5)} % of ${lines} lines`)
  }
}
if (values.write) addToReport({ runs, coverage, decoders, corpusOf: readCorpus })
process.exitCode = runs.some(({ crashes }) => crashes > 0) ? 1 : 0
