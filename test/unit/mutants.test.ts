import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { MUTANTS } from '../faults/mutants/table.js'

it.each(MUTANTS)('the mutant "$name" fits the sources', ({ edits }) => {
  for (const { file, from, to } of edits) {
    const text = readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')
    expect(text.split(from).length - 1, from).toBe(1)
    expect(to).not.toBe(from)
  }
})
