// Compiles the addon into build/Release with cmake-js or node-gyp.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from './addon.cjs'

const require = createRequire(import.meta.url)

/** Runs a Node script in the root. Returns its output where it fails, undefined where it succeeds. */
function run(script, args, { verbose, env = {} }) {
  const result = spawnSync(process.execPath, [script, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: verbose ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (result.status === 0) return undefined
  return verbose ? 'the build failed' : `${result.stdout}${result.stderr}${result.error ?? ''}`
}

function compileWithCMake(tools, options) {
  const script = join(dirname(require.resolve('cmake-js/package.json')), 'bin', 'cmake-js')
  const settings = ['--parallel', String(availableParallelism()), `--CDMYKAFKA_NODE=${process.execPath}`]
  if (options.werror) settings.push('--CDMYKAFKA_WERROR=ON')
  if (tools.compiler !== 'g++') settings.push('--cxx', tools.compiler, '--cc', tools.compiler)
  // A build folder that was copied, or that another generator made, cannot be configured: start over then.
  const steps = run(script, ['configure', ...settings], options) ? ['rebuild'] : ['build']
  return run(script, [...steps, ...settings], options)
}

function compileWithNodeGyp(tools, options) {
  const args = ['rebuild', '--loglevel=warn', '--jobs', String(availableParallelism())]
  if (tools.nodeDirectory && !process.env.npm_config_nodedir) args.push(`--nodedir=${tools.nodeDirectory}`)
  const env = tools.compiler === 'g++' ? {} : { CXX: tools.compiler, LINK: tools.compiler }
  return run(tools.nodeGyp, args, { ...options, env })
}

/**
 * @param {'cmake-js' | 'node-gyp'} builder
 * @returns what went wrong, or undefined
 */
export function compile(builder, tools, options) {
  return builder === 'cmake-js' ? compileWithCMake(tools, options) : compileWithNodeGyp(tools, options)
}
