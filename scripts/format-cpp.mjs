// Formats the C++ with clang-format; with --check only says what is not formatted.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './addon.cjs'

const files = readdirSync(join(root, 'native'), { recursive: true })
  .filter((name) => /\.(cc|h)$/.test(name))
  .map((name) => join('native', name))
const mode = process.argv.includes('--check') ? ['--dry-run', '-Werror'] : ['-i']
const { status, error } = spawnSync('clang-format', [...mode, ...files], { cwd: root, stdio: 'inherit' })
if (error) console.error(`clang-format did not run: ${error.message}`)
process.exitCode = status ?? 1
