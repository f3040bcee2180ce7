// Compiles src/ into dist/, beside it the stamp of the native sources that this JavaScript belongs to.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { root, sourceStamp } from './addon.cjs'

const require = createRequire(import.meta.url)
const dist = join(root, 'dist')

const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
if (status !== 0) process.exit(1)

// What is left of sources that are gone. dist/ is not emptied first: a broker may be running from it.
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name)
  const source = join(root, 'src', relative(dist, path).replace(/(\.d\.ts|\.js|\.js\.map)$/, '.ts'))
  if (entry.isFile() && !existsSync(source)) rmSync(path)
}

writeFileSync(join(dist, 'native', 'source-stamp.json'), `${JSON.stringify({ stamp: sourceStamp() })}\n`)
