/** The house's rules, executable: who may import whom, what stays where, how long a file gets. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

function filesIn(folders: string[], ending: RegExp): string[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && ending.test(entry.name))
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        .filter((file) => !/(^|\/)(node_modules|dist|build|\.cache)\//.test(file)),
    )
}

const typescript = filesIn(['src'], /\.ts$/)
const native = filesIn(['native'], /\.(cc|h)$/)
const imports = (file: string) =>
  [...read(file).matchAll(/^#include\s+["<](.+)[">]/gm)].map((match) => match[1] as string)

/**
 * What each folder of src/ may import, beside itself and the single files of src/ (errors, logger and the
 * like, which import none of the folders). A file's path stands for that file alone.
 */
const MAY_IMPORT: Record<string, string[]> = {
  native: [],
  log: ['native'],
  wire: ['log'],
  topic: ['log', 'native'],
  group: ['log', 'native', 'topic'],
  server: ['log', 'native', 'topic', 'group', 'wire'],
  // The codec, the name rule, the partitioners and those types are pure: a client brings no engine with it.
  // What `connect({ dataDir })` opens is loaded there and then: the next test sees to that.
  client: [
    'wire',
    'log/record-codec.ts',
    'log/log-storage.ts',
    'topic/topic-name.ts',
    'topic/partitioner.ts',
    'server/embedded-broker.ts',
  ],
  cli: ['log', 'native', 'topic', 'group', 'wire', 'server', 'client'],
}

/** The folder of src/ that a file is in; '' for the single files. */
function roomOf(file: string): string {
  const parts = relative('src', file).split('/')
  return parts.length === 1 ? '' : (parts[0] as string)
}

function importedFiles(file: string): string[] {
  return [...read(file).matchAll(/\b(?:from|import)\s*\(?'(\.[^']+)\.js'/g)].map((match) =>
    join(dirname(file), `${match[1]}.ts`),
  )
}

function mayImport(file: string, imported: string): boolean {
  const room = roomOf(file)
  const other = roomOf(imported)
  // The package's entry gathers what is public, from anywhere.
  if (file === 'src/index.ts') return true
  if (imported === 'src/index.ts') return false
  if (other === room || other === '') return true
  return MAY_IMPORT[room]?.some((allowed) => allowed === other || join('src', allowed) === imported) ?? false
}

it('imports go down through the layers only', () => {
  const wrong = typescript.flatMap((file) =>
    importedFiles(file)
      .filter((imported) => !mayImport(file, imported))
      .map((imported) => `${file} imports ${imported}`),
  )
  expect(wrong).toEqual([])
})

it('a client loads the engine where it opens one, and not before', () => {
  const statement = /^(?:import|export) (?!type )(?:\{[^}]*\}|[^{}'\n]*) from '\.\.\/server\//m
  const loaded = typescript.filter((file) => roomOf(file) === 'client' && statement.test(read(file)))
  expect(loaded).toEqual([])
})

it('only the binding knows Node-API', () => {
  const wrong = native.filter(
    (file) => !file.startsWith('native/binding/') && imports(file).some((name) => /napi|node/.test(name)),
  )
  expect(wrong).toEqual([])
})

it('the core includes nothing of the binding', () => {
  const core = native.filter((file) => file.startsWith('native/core/'))
  expect(core.filter((file) => imports(file).some((name) => name.startsWith('binding/')))).toEqual([])
})

it('what is synced is so on threads of the addon: of libuv there are four for all files, the log among them', () => {
  const wrong = /\b(fsync|fdatasync|datasync)(Sync)?\(|\b(file|handle)\.sync\(/
  expect(typescript.filter((file) => wrong.test(read(file)))).toEqual([])
})

it('no file is longer than 500 lines', () => {
  const isGenerated = (file: string) => /(^|\/)generated(\/|\.)/.test(file)
  const long = [...typescript, ...native].filter((file) => !isGenerated(file) && read(file).split('\n').length > 501)
  expect(long).toEqual([])
})

it('nothing is left for later and no test is left out', () => {
  // Put together here, so that this file does not hold them.
  const marks = [
    ['TO', 'DO'],
    ['FIX', 'ME'],
    ['XX', 'X'],
    ['HA', 'CK'],
  ].map((parts) => parts.join(''))
  const banned = new RegExp(
    `\\b(${marks.join('|')})\\b|\\b(it|test|describe)\\.(only|skip|todo)\\b|\\bx(it|describe)\\(`,
  )
  const files = [...typescript, ...native, ...filesIn(['test', 'bench', 'scripts', 'examples'], /\.(ts|mjs|cjs|js)$/)]
  const here = basename(fileURLToPath(import.meta.url))
  expect(files.filter((file) => basename(file) !== here && banned.test(read(file)))).toEqual([])
})

it('what test files share has no hooks of its own: in a process that runs several, the first one alone would get them', () => {
  const isShared = (file: string) => !file.endsWith('.test.ts') && !/^test\/(interop|packaging)\//.test(file)
  const shared = filesIn(['test'], /\.ts$/).filter((file) => isShared(file) && file !== 'test/support/setup.ts')
  expect(shared.filter((file) => /^(before|after)(Each|All)\(/m.test(read(file)))).toEqual([])
})

it('no test puts another module in the place of one: files share processes, and who loaded it before has the right one', () => {
  const here = 'test/unit/tidy.test.ts'
  const mocks = filesIn(['test'], /\.ts$/).filter((file) => file !== here && /\bvi\.(do)?mock\(/i.test(read(file)))
  expect(mocks).toEqual([])
})

/** The names that an entry file exports, each with the file that it says declares it. */
function exportedNames(entry: string): { name: string; file: string }[] {
  const statements = read(entry).matchAll(/^export (?:type )?\{([^}]+)\} from '([^']+)\.js'/gm)
  return [...statements].flatMap(([, names, from]) =>
    (names as string)
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== '')
      .map((name) => ({ name, file: join(dirname(entry), `${from}.ts`) })),
  )
}

it.each(['src/index.ts', 'src/client/index.ts'])('what %s exports is described', (entry) => {
  const bare = exportedNames(entry).filter(({ name, file }) => {
    const text = read(file)
    const at = text.search(
      new RegExp(`^export (abstract )?(class|interface|type|const|function|async function) ${name}\\b`, 'm'),
    )
    return at < 0 || !text.slice(0, at).trimEnd().endsWith('*/')
  })
  expect(bare).toEqual([])
})

it('no lock file names a registry', () => {
  const locks = ['package-lock.json', ...filesIn(['test', 'examples'], /package-lock\.json$/)]
  expect(locks.filter((file) => /"resolved": "https?:/.test(read(file)))).toEqual([])
})
