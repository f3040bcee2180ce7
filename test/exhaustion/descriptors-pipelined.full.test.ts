import { expect, it } from 'vitest'
import { BrokerProcess } from '../support/broker-process.js'
import * as frames from '../support/frames.js'
import { Peer } from '../support/peer.js'

import { temporaryDirectory } from '../support/temporary.js'

const PARTITIONS = 600
/** Far fewer descriptors than partitions. */
const UNDER_A_LOW_LIMIT = ['sh', '-c', 'ulimit -n 256; exec "$@"', 'sh']

it.each(['acks', 'never'])(
  'writes to and reads of more partitions at once than there are descriptors: --fsync %s',
  async (fsync) => {
    const dataDir = await temporaryDirectory()
    const broker = await BrokerProcess.start({ dataDir, args: ['--fsync', fsync], under: UNDER_A_LOW_LIMIT })
    const peer = await Peer.connect(broker.port)
    expect(await peer.call(frames.createTopic('t', PARTITIONS))).toEqual(frames.created(0))
    const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition)
    for (let round = 0; round < 2; round++) {
      peer.send(Buffer.concat(partitions.map((partition) => frames.produce('t', partition, [{ value: 'x' }]))))
      expect(await peer.frames(PARTITIONS)).toEqual(
        partitions.map((partition) => frames.produced(0, partition, round, 1)),
      )
    }
    peer.send(Buffer.concat(partitions.map((partition) => frames.fetch('t', partition, 0))))
    const answers = (await peer.frames(PARTITIONS)).map(frames.readFetched)
    expect(answers.filter(({ errorCode, count }) => errorCode !== 0 || count !== 2)).toEqual([])
    peer.socket.destroy()
    expect(await broker.stop()).toEqual({ code: 0, signal: null })
  },
)
