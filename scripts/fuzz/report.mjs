// The report of fuzzing: runs add up in test/reports/fuzz.json, from which the dated page beside it is written.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../addon.cjs'

const reports = join(root, 'test', 'reports')
const totals = join(reports, 'fuzz.json')

const number = (value) => Math.round(value).toLocaleString('en-US')
const percent = (covered, lines) => `${((100 * covered) / lines).toFixed(1)} %`

/** Adds runs and, where there is one, a new look at the coverage. */
export function addToReport({ runs, coverage, decoders, corpusOf }) {
  const date = new Date().toISOString().slice(0, 10)
  const known = existsSync(totals) ? JSON.parse(readFileSync(totals, 'utf8')) : { targets: {}, coverage: [] }
  for (const { target, executions, seconds, crashes } of runs) {
    const sum = known.targets[target] ?? { executions: 0, seconds: 0, crashes: 0 }
    known.targets[target] = {
      executions: sum.executions + executions,
      seconds: Math.round((sum.seconds + seconds) * 10) / 10,
      crashes: sum.crashes + crashes,
    }
  }
  if (coverage) known.coverage = coverage
  if (decoders) known.decoders = decoders
  known.commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  writeFileSync(totals, `${JSON.stringify(known, null, 2)}\n`)
  writeFileSync(join(reports, `fuzz-${date}.md`), pageOf(known, date, corpusOf))
}

function pageOf({ targets, coverage, decoders = [], commit }, date, corpusOf) {
  const rows = Object.entries(targets).map(([target, { executions, seconds, crashes }]) => {
    const corpus = corpusOf(target)
    const size = corpus.reduce((sum, { length }) => sum + length, 0) / 1024
    return `| ${target} | ${number(executions)} | ${number(seconds)} | ${crashes} | ${corpus.length} | ${size.toFixed(1)} |`
  })
  const all = Object.values(targets)
  const sum = (of) => all.reduce((total, each) => total + of(each), 0)
  return `# Fuzzing, ${date}

The parsers of the core under libFuzzer, ASan and UBSan (\`npm run fuzz\`), at ${commit}. What each target holds its parser
against is said at the top of its file in \`native/fuzz/\`. Executions and seconds are those of all runs so far, crashes
the runs that one ended (a fault of a target itself among them): each is kept in \`native/fuzz/regressions/\`, and run again with every run.

| target | executions | seconds | crashes | inputs in the corpus | KiB |
|---|---|---|---|---|---|
${rows.join('\n')}
| all | ${number(sum(({ executions }) => executions))} | ${number(sum(({ seconds }) => seconds))} | ${sum(({ crashes }) => crashes)} | | |

## Lines that the corpus and the seeds reach

${tableOf(coverage)}

## Lines of the decoders in TypeScript that their tests reach

${tableOf(decoders)}
`
}

function tableOf(files) {
  const row = (name, covered, lines) => `| ${name} | ${covered} of ${lines} | ${percent(covered, lines)} |`
  const sum = (of) => files.reduce((total, each) => total + of(each), 0)
  const rows = files.map(({ file, covered, lines }) => row(`\`${file}\``, covered, lines))
  if (rows.length > 0)
    rows.push(
      row(
        'all',
        sum(({ covered }) => covered),
        sum(({ lines }) => lines),
      ),
    )
  return ['| file | lines | |', '|---|---|---|', ...rows].join('\n')
}
