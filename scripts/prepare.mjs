// Builds dist/ in a checkout: npm runs this behind `npm ci` and before a pack, never in an installed package.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from './addon.cjs'

function hasCompiler() {
  try {
    createRequire(import.meta.url).resolve('typescript/package.json')
    return true
  } catch {
    return false
  }
}

// npx in a checkout links the checkout into npm's cache, which runs this again: what is built stays as it is then.
const built = existsSync(join(root, 'dist', 'lib', 'cli.js'))
if (built && process.env.npm_command === 'exec') process.exit()

if (hasCompiler()) {
  await import('./build-ts.mjs')
} else if (!built) {
  console.error('mykafka: dist/ is not built, and TypeScript is not installed: run npm ci without --omit=dev')
  process.exit(1)
}
