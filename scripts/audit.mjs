// Asks the registry for known vulnerabilities of what is installed with the package. Fails where there are any; where the
// registry does not answer such questions (a mirror, no network) it says so.
import { spawnSync } from 'node:child_process'
import { root } from './addon.cjs'

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { cwd: root, encoding: 'utf8' })
let report = null
try {
  report = JSON.parse(stdout)
} catch {
  // It is not a report.
}
const found = report?.metadata?.vulnerabilities?.total
if (found === undefined) {
  console.log('not audited: the registry does not answer')
} else if (found > 0) {
  for (const { name, severity, range } of Object.values(report.vulnerabilities)) {
    console.error(`${name} ${range}: ${severity}`)
  }
  process.exit(1)
} else {
  console.log('no known vulnerabilities')
}
