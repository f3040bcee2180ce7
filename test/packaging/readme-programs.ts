/** The programs of the README, as a new user would write them down in a project of their own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'

interface Project {
  /** Where the package is installed. */
  readonly folder: string
  /** A checkout with its development dependencies: it has the TypeScript compiler. */
  readonly clone: string
  /** PATH of what is run. */
  readonly path: string
}

const ADDRESS = '127.0.0.1:9092'
const IMPORT = /^import \{ (\w+) \} from '(mykafka\/client)'$/m

/** The first program under a heading. */
function programUnder(readme: string, heading: string): string {
  const section = readme.slice(readme.indexOf(`\n${heading}\n`))
  return /```ts\n([\s\S]*?)```/.exec(section)?.[1] as string
}

/** The same as CommonJS, which awaits in functions only. `load` is how it says what it imports. */
function asCommonJs(program: string, load: string): string {
  return `${program.match(IMPORT)?.[0].replace(IMPORT, load)}\nasync function main() {${program.replace(IMPORT, '')}}\nmain()\n`
}

/** The files of each kind, by their endings: those of TypeScript are compiled into these. */
function writePrograms(folder: string, programs: Record<string, string>): string[] {
  const typescript: string[] = []
  for (const [name, program] of Object.entries(programs)) {
    writeFileSync(join(folder, `${name}.mjs`), program)
    writeFileSync(join(folder, `${name}.cjs`), asCommonJs(program, "const { $1 } = require('$2')"))
    writeFileSync(join(folder, `${name}-ts.mts`), program)
    writeFileSync(join(folder, `${name}-ts.cts`), asCommonJs(program, "import { $1 } from '$2'"))
    typescript.push(`${name}-ts.mts`, `${name}-ts.cts`)
  }
  return typescript
}

function compile({ folder, clone }: Project, files: readonly string[]): void {
  const modules = join(clone, 'node_modules')
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', 'false']
  const types = ['--typeRoots', join(modules, '@types'), '--types', 'node']
  const args = [join(modules, 'typescript', 'bin', 'tsc'), ...options, ...types, ...files]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  expect(status, `${stdout}${stderr}`).toBe(0)
}

/** The first line of what a process writes that matches; what it says beside it is an error. */
async function firstLine(child: ChildProcess, wanted: RegExp): Promise<RegExpExecArray> {
  let stderr = ''
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const match = wanted.exec(line)
    if (match !== null && stderr === '') return match
  }
  throw new Error(`it ended, or complained: ${stderr}`)
}

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}

/** Runs producer and consumer in each way, against a broker of the installed package, and the producer without one. */
export async function runReadmePrograms(project: Project): Promise<void> {
  const { folder, clone, path } = project
  const env = { PATH: path }
  const start = (...args: string[]): ChildProcess =>
    spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const command = join('node_modules', 'mykafka', 'bin', 'mykafka.js')
  const broker = start(command, 'serve', '--port', '0', '--data-dir', 'data', '--log-level', 'warn')
  try {
    const address = `127.0.0.1:${(await firstLine(broker, /^listening on .*:(\d+)$/))[1]}`
    const readme = readFileSync(join(clone, 'README.md'), 'utf8').replaceAll(ADDRESS, address)
    const producer = programUnder(readme, '### A producer')
    const programs = { producer, consumer: programUnder(readme, '### A consumer') }
    const embedded = { embedded: producer.replace(/brokers: '[^']+'/, "dataDir: './embedded'") }
    compile(project, writePrograms(folder, programs))
    writePrograms(folder, embedded)
    const produce = (file: string): void => {
      const { stdout, stderr, status } = spawnSync(process.execPath, [file], { cwd: folder, env, encoding: 'utf8' })
      expect({ stdout, stderr, status }).toEqual({
        stdout: expect.stringMatching(/^it is in partition/),
        stderr: '',
        status: 0,
      })
    }
    for (const ending of ['.mjs', '.cjs', '-ts.mjs', '-ts.cjs']) {
      produce(`producer${ending}`)
      const consumer = start(`consumer${ending}`)
      await firstLine(consumer, /seat-A-1 reserved$/)
      await end(consumer)
    }
    for (const ending of ['.mjs', '.cjs']) produce(`embedded${ending}`)
  } finally {
    await end(broker)
  }
}
