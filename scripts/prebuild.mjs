// Builds the binary that the npm package ships, into prebuilds/. It wipes build/.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { root } from './addon.cjs'
import { findTools } from './toolchain.mjs'

const require = createRequire(import.meta.url)
const prebuildify = join(dirname(require.resolve('prebuildify/package.json')), 'bin.js')
const { nodeDirectory, nodeGyp } = findTools()

// The target only chooses the headers: Node-API makes one binary of it for all versions.
const target = `node@${process.versions.node}`
const env = { ...process.env, PREBUILD_NODE_GYP: nodeGyp }
if (nodeDirectory && !env.npm_config_nodedir) env.npm_config_nodedir = nodeDirectory
const args = ['--napi', '--tag-libc', '--strip', '--name', 'mykafka', '-t', target]
const { status } = spawnSync(process.execPath, [prebuildify, ...args], { cwd: root, env, stdio: 'inherit' })
process.exitCode = status ?? 1
