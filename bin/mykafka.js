#!/usr/bin/env node
import { existsSync } from 'node:fs'

const main = new URL('../dist/lib/cli.js', import.meta.url)
if (existsSync(main)) {
  await import(main.href)
} else {
  console.error('mykafka: dist/ is not built: run npm ci, or npm run build, in the checkout first')
  process.exitCode = 1
}
