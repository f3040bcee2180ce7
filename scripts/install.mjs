// Sees to it that there is an addon that fits the sources: one that is there already, a prebuilt one, or
// one compiled now. `--build` compiles in any case, and shows the compiler's output (npm run build:native).
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { candidates, root, sourceStamp } from './addon.cjs'
import { compile } from './compile.mjs'
import { chooseBuilder, describeMissing, findTools } from './toolchain.mjs'

const forced = process.argv.includes('--build')

/** The stamp of a binary. It is loaded by another process: it may crash, and is replaced if it does not fit. */
function stampOf(path) {
  const script = 'process.stdout.write(String(require(process.argv[1]).sourceStamp))'
  const result = spawnSync(process.execPath, ['-e', script, path], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return result.status === 0 ? result.stdout : undefined
}

function findUsable(stamp) {
  return candidates()
    .map((parts) => join(root, ...parts))
    .find((path) => existsSync(path) && stampOf(path) === stamp)
}

function fail(lines) {
  console.error(lines.join('\n'))
  process.exit(1)
}

if (forced || !findUsable(sourceStamp())) {
  const tools = findTools()
  const builder = chooseBuilder(tools)
  if (!builder) {
    fail(['mykafka: no prebuilt addon fits here, and to compile it this is missing:', ...describeMissing(tools)])
  }
  console.log(`mykafka: compiling the native addon with ${builder}`)
  const failure = compile(builder, tools, { verbose: forced, werror: forced })
  if (failure) fail([failure, `mykafka: ${builder} could not compile the native addon`])
  const release = join(root, 'build', 'Release', 'mykafka.node')
  if (stampOf(release) !== sourceStamp()) fail([`mykafka: ${release} was compiled but does not load`])
}
