import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { startBroker } from '../support/broker.js'
import * as frames from '../support/frames.js'
import { testRandom } from '../support/random.js'

it('closes what is beyond max.connections.per.ip at once, says so once, and takes others when some have gone', async () => {
  const properties = { 'max.connections.per.ip': 0, 'max.connections.per.ip.overrides': '127.0.0.1:2' }
  const broker = await startBroker({ properties })
  const peers = await Promise.all([1, 2].map(() => broker.connect()))
  for (const peer of peers) await peer.call(frames.metadata(''))
  for (let i = 0; i < 5; i++) await (await broker.connect()).closed
  await expect.poll(() => broker.logger.messages('warn')).toEqual(['refused: max.connections.per.ip reached'])
  expect(broker.broker.connectionCount).toBe(2)
  peers[0]?.socket.destroy()
  await expect.poll(() => broker.broker.connectionCount).toBe(1)
  const next = await broker.connect()
  expect(await next.call(frames.metadata(''))).toEqual(frames.described(0, {}))
  await broker.stop()
  expect(broker.logger.messages('warn').at(-1)).toBe('4 more: connections refused: max.connections.per.ip reached')
})

it('says of each kind of greeting once what it was, and how many more there were', async () => {
  const broker = await startBroker()
  const greetings = [Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.from('SSH-2.0-x\r\n'), Buffer.alloc(8, 0xff)]
  for (let i = 0; i < 30; i++) {
    const peer = await broker.connect()
    peer.send(greetings[i % greetings.length] as Buffer)
    await peer.closed
  }
  expect(broker.logger.messages('warn')).toHaveLength(greetings.length)
  await broker.stop()
  const more = broker.logger.messages('warn').slice(greetings.length)
  expect(more.sort()).toEqual(['http', 'negative length', 'ssh'].map((kind) => `9 more: connections closed (${kind})`))
})

/** What the system's timer of an accepted connection is for; 2: asking whether the peer is there. */
function timerOf(port: number, peerPort: number): number | undefined {
  const hex = (number: number): string => number.toString(16).toUpperCase().padStart(4, '0')
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'latin1').split('\n'))
  const ends = new RegExp(`:${hex(port)} [0-9A-F]+:${hex(peerPort)} 01 [0-9A-F:]+ 0?(\\d):`)
  const found = lines.map((line) => ends.exec(line)).find((match) => match !== null)
  return found === undefined ? undefined : Number(found?.[1])
}

it.runIf(process.platform === 'linux')('has the system ask whether a silent peer is still there', async () => {
  const broker = await startBroker()
  const peer = await broker.connect()
  await peer.call(frames.metadata(''))
  const { localPort } = peer.socket
  await expect.poll(() => timerOf(broker.port, localPort as number)).toBe(2)
})

it('names of a stranger do not write the log: control characters are escaped', async () => {
  const broker = await startBroker()
  const random = testRandom()
  const name = `x\u001b[2J\r\n{"level":60}\u009b${random.integer(0, 9)}`
  const peer = await broker.connect()
  for (const call of [frames.createTopic(name, 1), frames.fetch(name, 0, 0), frames.describeStorage(name)]) {
    await peer.call(call)
  }
  const told = broker.logger.lines.map(({ fields, message }) => `${message} ${(fields.err as Error)?.message}`)
  expect(told.some((line) => line.includes('\\u001b[2J'))).toBe(true)
  expect(told.filter((line) => /[\p{Cc}]/u.test(line))).toEqual([])
})
