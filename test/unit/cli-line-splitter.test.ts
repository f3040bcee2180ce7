import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineSplitter } from '../../src/cli/produce/line-splitter.js'

function split(chunks: readonly Buffer[], maxLineBytes = 1000): string[] {
  const lines: string[] = []
  const splitter = new LineSplitter(maxLineBytes, (line, number) => {
    expect(number).toBe(lines.length + 1)
    lines.push(line.toString('latin1'))
  })
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return lines
}

test('lines end with LF or CRLF; the last one may lack its end', () => {
  expect(split([Buffer.from('a\nb\r\n\n\r\nc')])).toEqual(['a', 'b', '', '', 'c'])
  expect(split([Buffer.from('a\n')])).toEqual(['a'])
  expect(split([])).toEqual([])
})

test('a carriage return elsewhere is part of the line', () => {
  expect(split([Buffer.from('a\rb\r\r\n')])).toEqual(['a\rb\r'])
})

test('the chunks make no difference', () => {
  const input = fc
    .array(fc.constantFrom('a', 'b', '\r', '\n', '\r\n'), { maxLength: 40 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(input, fc.array(fc.nat(40)), (text, cuts) => {
      const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length]
      const chunks = places.slice(1).map((end, i) => Buffer.from(text.slice(places[i], end)))
      expect(split(chunks)).toEqual(split([Buffer.from(text)]))
    }),
  )
})

test('a line that does not end is refused by its number, and is not collected for ever', () => {
  expect(() => split([Buffer.from('short\n'), Buffer.alloc(600), Buffer.alloc(600)])).toThrow(
    'line 2 is longer than 1000 bytes',
  )
})
