/**
 * Loads the native addon, wherever it was built, and checks that it belongs to this JavaScript.
 *
 * @module
 */

import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import type Bindings from 'bindings'
import { errorFromNative, MyKafkaError } from '../errors.js'
import type { NativeAddon } from './native.js'

const require = createRequire(import.meta.url)
// Not by import: what Node does to a CommonJS module for ESM's sake costs 3 ms of the broker's start.
const bindings = require('bindings') as typeof Bindings
const addon = require('../../scripts/addon.cjs') as {
  root: string
  sourceStamp(): string
  candidates(): string[][]
}

/** What the build wrote beside this file; running from the sources, there is no such file. */
function expectedStamp(): string {
  if (import.meta.url.endsWith('.ts')) return addon.sourceStamp()
  return (require('./source-stamp.json') as { stamp: string }).stamp
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n', 1)[0] as string
}

function load(): NativeAddon {
  const stamp = expectedStamp()
  const tried: string[] = []
  let stale = false
  for (const path of addon.candidates()) {
    try {
      const native = bindings({
        bindings: 'mykafka',
        module_root: addon.root,
        try: [['module_root', ...path]],
      }) as NativeAddon
      if (native.sourceStamp === stamp) return native
      stale = true
      tried.push(`${join(...path)}: built from other sources`)
    } catch (error) {
      const absent = (error as { tries?: string[] }).tries !== undefined
      tried.push(`${join(...path)}: ${absent ? 'not there' : firstLine(error)}`)
    }
  }
  const installed = addon.root.includes(`${sep}node_modules${sep}`)
  const advice = installed ? `run node ${join(addon.root, 'scripts', 'install.mjs')}` : 'run npm run build'
  if (stale) throw new MyKafkaError('ADDON_STALE', `the native addon was built from other sources: ${advice}`)
  const list = tried.map((line) => `\n  ${line}`).join('')
  throw new MyKafkaError('ADDON_MISSING', `the native addon is not built: ${advice}. Tried:${list}`)
}

/** The addon. Importing this throws ADDON_MISSING or ADDON_STALE where there is none that fits. */
export const native: NativeAddon = load()

native.setErrorFactory(errorFromNative)
