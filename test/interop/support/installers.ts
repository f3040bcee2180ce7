/** Brings each client from its registry, into test/interop/.cache or beside its package.json. */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CACHE, INTEROP } from './folders.js'
import { installOnce } from './install-once.js'
import { runCommand } from './run-command.js'

const NPM_QUIET = ['--no-audit', '--no-fund', '--silent']

/** Installs what the lock file of a folder in node/ says. */
export function installPackages(folder: string): Promise<void> {
  const at = `node/${folder}`
  return installOnce(`node-${folder}`, [`${at}/package.json`, `${at}/package-lock.json`], async () => {
    await runCommand('npm', ['ci', ...NPM_QUIET], { cwd: join(INTEROP, at) })
  })
}

const NODE_24 = '24.21.0'

/** A newer Node, for the client that needs one. */
export function installNode24(): Promise<void> {
  return installOnce(`node-${NODE_24}`, [], async () => {
    await runCommand('npm', ['install', ...NPM_QUIET, '--prefix', join(CACHE, 'node24'), `node@${NODE_24}`])
  })
}

/** Node's headers, where the distribution has them: node-gyp else downloads them. */
function nodeHeaders(): Readonly<Record<string, string>> {
  const prefix = dirname(dirname(process.execPath))
  return existsSync(join(prefix, 'include', 'node', 'node.h')) ? { npm_config_nodedir: prefix } : {}
}

/** Compiles librdkafka from the package's own sources: its prebuilt binary is on no registry. */
export function installConfluent(): Promise<void> {
  const at = 'node/confluent'
  return installOnce('node-confluent', [`${at}/package.json`, `${at}/package-lock.json`], async () => {
    const cwd = join(INTEROP, at)
    await installDebianPackages('libzstd-dev', () => existsSync('/usr/include/zstd.h'))
    await runCommand('npm', ['ci', ...NPM_QUIET, '--ignore-scripts'], { cwd })
    const rebuild = ['rebuild', ...NPM_QUIET, '--build-from-source=@confluentinc/kafka-javascript']
    // It compiles all its files at once.
    const env = { ...nodeHeaders(), CKJS_LINKING: 'dynamic' }
    await runCommand('nice', ['-n', '15', 'npm', ...rebuild], { cwd, env })
  })
}

export function installPython(): Promise<void> {
  return installOnce('python', ['python/requirements.txt'], async () => {
    const environment = join(CACHE, 'python')
    await runCommand('python3', ['-m', 'venv', '--clear', environment])
    const pip = ['install', '--quiet', '--only-binary', ':all:', '-r', join(INTEROP, 'python', 'requirements.txt')]
    await runCommand(join(environment, 'bin', 'pip'), pip)
  })
}

export function installGo(): Promise<void> {
  const sources = readdirSync(join(INTEROP, 'go'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(INTEROP.length))
    .sort()
  return installOnce('go', sources, async () => {
    const cwd = join(INTEROP, 'go')
    await runCommand(
      'go',
      ['build', '-trimpath', '-o', `${join(CACHE, 'go')}/`, './franz', './sarama', './segmentio'],
      {
        cwd,
      },
    )
  })
}

async function works(command: string, ...args: string[]): Promise<boolean> {
  return runCommand(command, args).then(
    () => true,
    () => false,
  )
}

async function installDebianPackages(packages: string, isThere: () => boolean | Promise<boolean>): Promise<void> {
  if (await isThere()) return
  const quiet = { env: { DEBIAN_FRONTEND: 'noninteractive' } }
  await runCommand('apt-get', ['update', '-qq'], quiet)
  await runCommand('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages.split(' ')], quiet)
}

export async function installKcat(): Promise<void> {
  await installDebianPackages('kcat', () => works('kcat', '-V'))
}
