import { expect, it } from 'vitest'
import { startBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { temporaryDirectory } from '../../support/temporary.js'

const MOST = 10_000

it('makes a topic of 10000 partitions, serves each of them, and has it again behind a restart', async () => {
  const dataDir = await temporaryDirectory()
  let broker = await startBroker({ dataDir })
  let peer = await broker.connect()
  expect(await peer.call(frames.createTopic('t', MOST))).toEqual(frames.created(0))
  expect(await peer.call(frames.createTopic('more', MOST + 1))).toEqual(frames.created(2))
  // Not into all of them: what is not on the disk yet keeps its files open.
  const some = Array.from({ length: 500 }, (_, i) => i * 20)
  peer.send(...some.map((partition) => frames.produce('t', partition, [{ value: 'x' }])))
  expect(await peer.frames(some.length)).toEqual(some.map((partition) => frames.produced(0, partition, 0, 1)))

  const ends = Array.from({ length: MOST }, (_, i): [number, number] => [0, i % 20 === 0 ? 1 : 0])
  for (let round = 0; round < 2; round++) {
    expect((await peer.call(frames.metadata('t'))).equals(frames.described(0, { t: ends }))).toBe(true)
    peer.send(...ends.map((_, partition) => frames.fetch('t', partition, 0)))
    const answers = await peer.frames(MOST)
    expect(answers.map((answer) => frames.readFetched(answer).count)).toEqual(ends.map(([, end]) => end))
    peer.socket.destroy()
    await broker.stop()
    broker = await startBroker({ dataDir })
    peer = await broker.connect()
    expect(broker.logger.messages('warn')).toEqual([])
  }
}, 180_000)
