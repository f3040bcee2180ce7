/**
 * Installs MyKafka in all the ways there are, each with only the tools that it may need: from a clone of
 * this checkout's HEAD and from the packed package. It needs git, npm's registry and every compiler tool.
 * Run by `npm run test:packaging`.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { runReadmePrograms } from './readme-programs.js'
import { toolbox } from './toolbox.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'mykafka-packaging-'))
const clone = join(work, 'clone')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const boxes = {
  none: toolbox(),
  cmake: toolbox('compiler', 'make', 'cmake'),
  python: toolbox('compiler', 'make', 'python'),
}

interface Outcome {
  status: number | null
  stdout: string
  /** Both streams. */
  output: string
}

/** What npm passes to its scripts must not reach the npm that is run here, but for the user's own settings. */
function environment(path: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^npm_(lifecycle|package|config_(loglevel|prefix|local_prefix|global_prefix|node_gyp|noproxy))/.test(name),
  )
  return {
    ...Object.fromEntries(kept),
    PATH: path,
    npm_config_prefer_offline: 'true',
  }
}

function attempt(path: string, folder: string, command: string, ...args: string[]): Outcome {
  const result = spawnSync(command, args, { cwd: folder, env: environment(path), encoding: 'utf8', shell: false })
  const { status, stdout } = result
  return { status, stdout, output: `${stdout}${result.stderr}${result.error ?? ''}` }
}

function run(path: string, folder: string, command: string, ...args: string[]): string {
  const { status, stdout, output } = attempt(path, folder, command, ...args)
  expect(status, `${command} ${args.join(' ')} failed:\n${output}`).toBe(0)
  return stdout
}

/** Uses the addon through the built package. */
const SMOKE = `
  const { Log } = await import(process.argv[1])
  const log = await Log.open(process.argv[2])
  const offset = await log.append({ key: 'k', value: 'v' }, { acks: 'all' })
  const [record] = await log.read(offset)
  if (record.key.toString() !== 'k' || record.value.toString() !== 'v') throw new Error('another record came back')
  await log.close()
  console.log('the addon works')`

function smoke(packageFolder: string): Outcome {
  const entry = join(packageFolder, 'dist', 'lib', 'index.js')
  const directory = mkdtempSync(join(work, 'log-'))
  return attempt(boxes.none, work, process.execPath, '--input-type=module', '-e', SMOKE, entry, directory)
}

function assertWorks(packageFolder: string): void {
  const { status, output } = smoke(packageFolder)
  expect(status, output).toBe(0)
}

function consumer(name: string): string {
  const folder = join(work, name)
  mkdirSync(folder)
  // npm 11 runs a dependency's install script only where the project allows it.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts: { mykafka: true } }))
  return folder
}

function pack(): string {
  const output = run(boxes.none, clone, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', work)
  const [{ filename, files }] = JSON.parse(output) as [{ filename: string; files: { path: string }[] }]
  const paths = files.map(({ path }) => path)
  expect(paths).toEqual(
    expect.arrayContaining([
      'bin/mykafka.js',
      'dist/lib/index.js',
      'dist/lib/source-stamp.json',
      'dist/types/index.d.ts',
      'binding.gyp',
      'LICENSE',
    ]),
  )
  // What only a checkout needs.
  expect(paths.filter((path) => /^(test|src|build|bench|native\/(test|fuzz))\//.test(path))).toEqual([])
  return join(work, filename)
}

it('a fresh clone installs with CMake and without Python', () => {
  run(process.env.PATH ?? '', work, 'git', 'clone', '--quiet', root, clone)
  run(boxes.cmake, clone, 'npm', 'ci')
  assertWorks(clone)
})

it('npx in the clone runs its own command', () => {
  expect(run(boxes.none, clone, 'npx', 'mykafka', '--version').trim()).toBe(version)
})

it('where a fitting addon is, installing again needs no tool', () => {
  expect(run(boxes.none, clone, 'npm', 'run', '--silent', 'install')).toBe('')
})

it('an addon of other sources is noticed by the installer and at run time', () => {
  // One that no other includes: only it is compiled anew.
  const file = join(clone, 'native', 'core', 'siphash.cc')
  const before = readFileSync(file)
  appendFileSync(file, '// changed\n')
  const { status, output } = attempt(boxes.none, clone, 'npm', 'run', 'install')
  expect(status, output).toBe(1)
  expect(output).toMatch(/C\+\+17 compiler.*\n.*make\n.*CMake.*Python/)
  run(boxes.cmake, clone, 'npm', 'run', 'install')
  expect(smoke(clone).output).toMatch(/ADDON_STALE/)
  writeFileSync(file, before)
})

it('without an addon the message says what was tried', () => {
  rmSync(join(clone, 'build'), { recursive: true })
  expect(smoke(clone).output).toMatch(/ADDON_MISSING[\s\S]*build\/Release\/mykafka\.node: not there/)
})

it('a clone installs with Python and without CMake', () => {
  expect(run(boxes.python, clone, 'npm', 'run', 'install')).toMatch(/node-gyp/)
  assertWorks(clone)
})

it('the packed package with its prebuild installs without a compiler', () => {
  run(boxes.python, clone, 'npm', 'run', 'build:prebuilds')
  const folder = consumer('with-prebuild')
  run(boxes.none, folder, 'npm', 'install', pack())
  const installed = join(folder, 'node_modules', 'mykafka')
  expect(existsSync(join(installed, 'build'))).toBe(false)
  assertWorks(installed)
  expect(run(boxes.none, folder, 'npx', 'mykafka', '--version').trim()).toBe(version)
})

it('the producer and the consumer of the README run there: JavaScript and TypeScript, ES modules and CommonJS', async () => {
  await runReadmePrograms({ folder: join(work, 'with-prebuild'), clone, path: boxes.none })
})

it('without a prebuild it needs a compiler, and says what is missing', () => {
  rmSync(join(clone, 'prebuilds'), { recursive: true })
  const { status, output } = attempt(boxes.none, consumer('without-compiler'), 'npm', 'install', pack())
  expect(status, output).toBe(1)
  expect(output).toMatch(/C\+\+17 compiler[\s\S]*(apt-get|brew|xcode-select)/)
})

it('a prebuild that cannot be loaded does not hinder compiling', () => {
  const prebuilds = join(clone, 'prebuilds', `${process.platform}-${process.arch}`)
  mkdirSync(prebuilds, { recursive: true })
  writeFileSync(join(prebuilds, 'mykafka.node'), 'no library')
  const folder = consumer('with-broken-prebuild')
  run(boxes.cmake, folder, 'npm', 'install', pack())
  const installed = join(folder, 'node_modules', 'mykafka')
  expect(existsSync(join(installed, 'build', 'Release', 'mykafka.node'))).toBe(true)
  assertWorks(installed)
})

afterAll(() => {
  for (const folder of [work, ...Object.values(boxes)]) rmSync(folder, { recursive: true, force: true })
})
