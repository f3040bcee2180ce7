import { expect, it } from 'vitest'
import { table } from '../../src/cli/table.js'
import { jsonText, visible, visibleJson } from '../../src/cli/visible.js'

const ESCAPE = String.fromCharCode(0x1b)
const CSI = String.fromCharCode(0x9b)
const OVERRIDE = String.fromCharCode(0x202e)

it('control characters of a name are shown', () => {
  expect(visible(`a${ESCAPE}[2J\r\nb${CSI}31m${OVERRIDE}c`)).toBe('a\\u001b[2J\\u000d\\u000ab\\u009b31m\\u202ec')
  expect(visible('größe 数据 "x" \\')).toBe('größe 数据 "x" \\')
})

it('a cell cannot break out of its table', () => {
  expect(table(['GROUP'], [[`x\nforged${ESCAPE}[A`], ['y']])).toBe('GROUP\nx\\u000aforged\\u001b[A\ny\n')
})

it.each([
  `${ESCAPE}[2J\r\b\f${CSI}${OVERRIDE}`,
  // A backslash and the letters of an escape are no escape, however many backslashes there are.
  '\\u001b',
  `\\${ESCAPE}`,
  `\\\\${ESCAPE}\\`,
  'größe 数据 "x" \\',
])('in the JSON of %j there is nothing that a terminal obeys, and the rest stays', (text) => {
  const line = visibleJson(`${JSON.stringify({ text })}\n`)
  expect(line.endsWith('\n')).toBe(true)
  const read = (JSON.parse(line) as { text: string }).text
  expect(read).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
  expect(read.replaceAll(/\\(u[\da-f]{4}|[bfr])/g, '')).toBe(visible(text).replaceAll(/\\(u[\da-f]{4}|[bfr])/g, ''))
})

it('ends of lines and tabulators stay in the JSON: stacks have them', () => {
  const text = 'Error: x\n\tat y'
  expect(JSON.parse(visibleJson(JSON.stringify({ text })))).toEqual({ text })
})

it('JSON for programs says the same, and has nothing that a terminal obeys', () => {
  const value = { [`a${CSI}b`]: `${ESCAPE}[2J\r\n\t${CSI}31m${String.fromCharCode(0x7f)}${OVERRIDE}größe 数据 "x"` }
  const json = jsonText(value)
  expect(json).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
  expect(JSON.parse(json)).toEqual(value)
})
