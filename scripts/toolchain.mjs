// Which of the tools that a compilation needs are here, and what to say where they are not.
import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'

const OLDEST_CMAKE = [3, 18]
const OLDEST_PYTHON = [3, 8]

function which(name) {
  if (name.includes('/')) return existsSync(name) ? name : undefined
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/** The tool if it runs and is not older than asked for. */
function atLeast(path, [major, minor]) {
  if (path === undefined) return undefined
  try {
    const found = /(\d+)\.(\d+)/.exec(
      execFileSync(path, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )
    const newEnough = Number(found[1]) > major || (Number(found[1]) === major && Number(found[2]) >= minor)
    return newEnough ? path : undefined
  } catch {
    return undefined
  }
}

/** npm says where its node-gyp is; without npm, the npm beside this Node has one. */
function findNodeGyp() {
  if (process.env.npm_config_node_gyp) return process.env.npm_config_node_gyp
  const require = createRequire(import.meta.url)
  const prefix = dirname(dirname(process.execPath))
  const paths = [join(prefix, 'lib', 'node_modules', 'npm')]
  try {
    return require.resolve('node-gyp/bin/node-gyp.js', { paths })
  } catch {
    return undefined
  }
}

/** The folder whose include/node holds this Node's headers, so that node-gyp need not fetch them. */
function findNodeDirectory() {
  const prefix = dirname(dirname(process.execPath))
  const complete = ['node_version.h', 'common.gypi'].every((name) => existsSync(join(prefix, 'include', 'node', name)))
  return complete ? prefix : undefined
}

export function findTools() {
  const compiler = [process.env.CXX?.split(' ')[0], 'g++', 'clang++'].find((name) => name && which(name))
  const pythons = [process.env.npm_config_python, process.env.PYTHON, 'python3', 'python']
  return {
    compiler,
    make: which('make'),
    ninja: which('ninja'),
    cmake: atLeast(which('cmake'), OLDEST_CMAKE),
    python: pythons.map((name) => name && atLeast(which(name), OLDEST_PYTHON)).find(Boolean),
    nodeGyp: findNodeGyp(),
    nodeDirectory: findNodeDirectory(),
  }
}

/** The builder that can run here: 'cmake-js', 'node-gyp' or undefined. */
export function chooseBuilder(tools) {
  if (!tools.compiler) return undefined
  if (tools.cmake && (tools.make || tools.ninja)) return 'cmake-js'
  if (tools.python && tools.make && tools.nodeGyp) return 'node-gyp'
  return undefined
}

/** One line for each thing that is missing, then how to get it. */
export function describeMissing(tools, platform = process.platform) {
  const missing = []
  const packages = []
  const lacks = (what, name) => {
    missing.push(`  - ${what}`)
    packages.push(name)
  }
  if (!tools.compiler) lacks('a C++17 compiler (g++ or clang++)', 'g++')
  if (!tools.make && !(tools.cmake && tools.ninja)) lacks('make', 'make')
  if (!tools.cmake && !(tools.python && tools.nodeGyp)) {
    lacks(
      `CMake ${OLDEST_CMAKE.join('.')} or later, or Python ${OLDEST_PYTHON.join('.')} or later with npm's node-gyp`,
      'cmake',
    )
  }
  return [...missing, 'Install it and run the same command again:', ...installCommands(packages, platform)]
}

function installCommands(packages, platform) {
  if (platform !== 'darwin') return [`  apt-get install ${packages.join(' ')}`]
  const commands = []
  if (packages.includes('g++') || packages.includes('make')) commands.push('  xcode-select --install')
  if (packages.includes('cmake')) commands.push('  brew install cmake')
  return commands
}
