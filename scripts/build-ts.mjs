// Compiles src/ into dist/: types/ by the TypeScript compiler, lib/ by esbuild, which joins modules into few files
// (loading some eighty one by one is a good part of a broker's start). Beside them goes the stamp of the native
// sources that this JavaScript belongs to. With --no-types it does without those.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import { root, sourceStamp } from './addon.cjs'

const require = createRequire(import.meta.url)
const dist = join(root, 'dist')
const stampFile = join(dist, 'lib', 'source-stamp.json')

const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
if (!process.argv.includes('--no-types')) {
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(1)
}

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { index: 'src/index.ts', client: 'src/client/index.ts', cli: 'src/cli/main.ts' },
  // Two folders below the root, as src/native/load.ts is: what it looks for relative to itself is there.
  outdir: 'dist/lib',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: true,
  metafile: true,
  logLevel: 'warning',
})
writeFileSync(stampFile, `${JSON.stringify({ stamp: sourceStamp() })}\n`)

// What earlier builds left. dist/ is not emptied first: a broker may be running from it.
const current = new Set([stampFile, ...Object.keys(metafile.outputs).map((output) => resolve(root, output))])
const isType = (path) => existsSync(join(root, 'src', relative(join(dist, 'types'), path).replace(/\.d\.ts$/, '.ts')))
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name)
  if (entry.isFile() && !current.has(path) && !isType(path)) rmSync(path)
}
