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

test("Kafka's names become settings", async () => {
  const file = await configFile(
    '# comment',
    '! comment too',
    'log.dirs=/data',
    'listeners=PLAINTEXT://broker.example:9093',
    'node.id = 3',
    'log.segment.bytes:1048576',
    'log.index.interval.bytes=8192',
    'log.index.size.max.bytes=1024',
    'log.flush.offset.checkpoint.interval.ms=1000',
    'max.connections=5',
    'connections.max.idle.ms=1000',
    'socket.request.max.\\',
    '    bytes=2048  ',
    'fsync=always',
    'zero.copy=on',
    'partitioner=java-hash',
  )
  expect(readConfigFile(file)).toEqual({
    dataDir: '/data',
    host: 'broker.example',
    port: 9093,
    nodeId: 3,
    segmentBytes: 1048576,
    indexIntervalBytes: 8192,
    segmentIndexBytes: 1024,
    flushIntervalMs: 1000,
    maxConnections: 5,
    maxIdleMs: 1000,
    maxFrameBytes: 2048,
    fsync: 'always',
    zeroCopy: true,
    partitioner: 'java-hash',
  })
})

test('a listener without a host listens on all addresses, one in brackets is IPv6', async () => {
  expect(readConfigFile(await configFile('listeners=PLAINTEXT://:9092'))).toEqual({ host: '0.0.0.0', port: 9092 })
  expect(readConfigFile(await configFile('listeners=PLAINTEXT://[::1]:0'))).toEqual({ host: '::1', port: 0 })
})

test.each([
  ['no.such.key=1', 'no.such.key is not known'],
  ['node.id=x', 'node.id: node.id must be an integer from 0 to 2147483647, not x'],
  ['log.dirs=/a,/b', 'log.dirs: one directory is supported, not a list'],
  ['log.dir=', 'log.dir: it must name a directory'],
  ['listeners=SSL://:9093', 'listeners: one listener PLAINTEXT://HOST:PORT is supported, not SSL://:9093'],
  ['listeners=PLAINTEXT://a:1,PLAINTEXT://b:2', 'listeners: one listener PLAINTEXT://HOST:PORT is supported'],
  ['listeners=PLAINTEXT://a:65536', 'listeners: port must be an integer from 0 to 65535, not 65536'],
  ['zero.copy=maybe', 'zero.copy: it must be on or off, not maybe'],
  ['fsync=often', 'fsync: fsync must be acks, always or never, not often'],
])('%s is refused with its place', async (line, reason) => {
  const file = await configFile('# first', 'node.id=\\', '  1', line)
  expect(() => readConfigFile(file)).toThrow(`${file}:4: ${reason}`)
})
