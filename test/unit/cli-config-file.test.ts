import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfigFile } from '../../src/cli/serve/config-file.js'
import { temporaryDirectory } from '../support/temporary.js'

async function configFile(...lines: string[]): Promise<string> {
  const file = join(await temporaryDirectory(), 'server.properties')
  await writeFile(file, lines.join('\n'))
  return file
}

test('a properties file as Java reads it', async () => {
  const file = await configFile(
    '# comment',
    '! comment too',
    'log.dirs=/data',
    'node.id = 3',
    'log.segment.bytes:1048576',
    'socket.request.max.\\',
    '    bytes=2048  ',
    'node.id = 4',
  )
  expect(readConfigFile(file)).toEqual({
    'log.dirs': '/data',
    'node.id': '4',
    'log.segment.bytes': '1048576',
    'socket.request.max.bytes': '2048  ',
  })
})

test.each([
  ['no.such.key=1', 'no.such.key is not known'],
  ['node.id=x', 'node.id must be an integer from 0 to 2147483647, not x'],
  ['log.dirs=/a,/b', 'log.dirs: one directory is supported, not a list'],
  ['log.dir=', 'log.dir must name a directory'],
  ['zero.copy=maybe', 'zero.copy must be true or false, not maybe'],
  ['fsync=often', 'fsync must be one of acks, always, never, not often'],
])('%s is refused with its place', async (line, reason) => {
  const file = await configFile('# first', 'node.id=\\', '  1', line)
  expect(() => readConfigFile(file)).toThrow(`${file}:4: ${reason}`)
})
