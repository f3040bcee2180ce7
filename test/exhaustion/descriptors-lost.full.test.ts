import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Client } from '../../src/client/index.js'
import { BrokerProcess } from '../support/broker-process.js'
import { makeTopicWith } from '../support/kafka-calls.js'
import { KafkaPeer } from '../support/kafka-peer.js'
import { Peer } from '../support/peer.js'
import { temporaryDirectory } from '../support/temporary.js'

const PARTITIONS = 40
const VALUE = 'v'.repeat(1000)

/** How many descriptors a process may have from now on. */
const limit = (pid: number, most: number): void =>
  void execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most}:`])

const descriptors = (pid: number): number[] => readdirSync(`/proc/${pid}/fd`).map(Number)

describe.runIf(process.platform === 'linux')('a broker without a descriptor left', () => {
  it('goes on with those that it has, whoever comes meanwhile, and as before when there are some again', async () => {
    const dataDir = await temporaryDirectory()
    const args = ['--segment-bytes', '65536', '--override', 'log.flush.offset.checkpoint.interval.ms=500']
    const broker = await BrokerProcess.start({ dataDir, args })
    const client = await Client.connect({ port: broker.port })
    await client.createTopic('t', PARTITIONS)
    let written = 0
    const round = async (): Promise<void> => {
      for (let partition = 0; partition < PARTITIONS; partition++) {
        await client.produce('t', [{ value: VALUE }], { partition })
      }
      written++
    }
    await round()

    // Connections take what is left below that, until there is nothing for one more.
    const most = Math.max(...descriptors(broker.pid)) + 4
    limit(broker.pid, most)
    const peers = await Promise.all(Array.from({ length: most }, () => Peer.connect(broker.port)))
    await Promise.race(peers.map(({ closed }) => closed))
    // All segments roll meanwhile, the indexes grow, and logs are synced: all with what others let go of.
    const refusals: unknown[] = []
    for (let sent = 0; sent < 100; sent++) {
      const partition = sent % 4
      await client.produce('t', [{ value: VALUE }], { partition }).catch((error: unknown) => refusals.push(error))
    }
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
    expect((await client.fetch('t', PARTITIONS - 1, 0)).length).toBe(1)
    await client.commitOffset('group', 't', 0, 1)

    limit(broker.pid, 4096)
    await round()
    expect(await client.createTopic('another', 4)).toBe('created')
    await (await Client.connect({ port: broker.port })).close()
    await client.close()
    expect(await broker.stop()).toEqual({ code: 0, signal: null })
    expect(broker.log.filter(({ msg }) => /refuses writes|offline/.test(msg))).toEqual([])
    const again = await BrokerProcess.start({ dataDir })
    const reader = await Client.connect({ port: again.port })
    const { partitions } = (await reader.metadata('t'))[0] as { partitions: readonly { highWatermark: number }[] }
    const ends = partitions.map(({ highWatermark }) => highWatermark)
    expect(ends.slice(4)).toEqual(Array.from({ length: PARTITIONS - 4 }, () => written))
    expect(ends.slice(0, 4).reduce((sum, end) => sum + end, 0)).toBe(4 * written + 100 - refusals.length)
    await reader.close()
    expect(await again.stop()).toEqual({ code: 0, signal: null })
  })

  it('of 64 of them: compaction runs, and a start behind kill -9 finds all', async () => {
    const dataDir = await temporaryDirectory()
    const args = ['--override', 'log.cleaner.backoff.ms=50', '--segment-bytes', '16384']
    const options = { dataDir, args, under: ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'] }
    const broker = await BrokerProcess.start(options)
    const peer = await KafkaPeer.connect(broker.port)
    const configs = { 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0.01', 'record.format': 'mykafka' }
    await makeTopicWith(peer, 'keyed', configs, 30)
    const client = await Client.connect({ port: broker.port })
    const compacted = broker.writes('compacted keyed/')
    for (let i = 0; i < 40; i++) {
      for (let partition = 0; partition < 30; partition++) {
        await client.produce('keyed', [{ key: `k-${i % 3}`, value: VALUE }], { partition })
      }
    }
    await compacted
    await client.close()
    await broker.kill()
    const again = await BrokerProcess.start(options)
    const reader = await Client.connect({ port: again.port })
    for (let partition = 0; partition < 30; partition++) {
      const latest = new Map<string, number>()
      for (let offset = 0; offset < 40; ) {
        for (const record of await reader.fetch('keyed', partition, offset)) {
          latest.set(String(record.key), record.offset)
          offset = record.offset + 1
        }
      }
      expect([...latest].sort()).toEqual([
        ['k-0', 39],
        ['k-1', 37],
        ['k-2', 38],
      ])
    }
    expect(descriptors(again.pid).length).toBeLessThan(64)
    await reader.close()
    expect(await again.stop()).toEqual({ code: 0, signal: null })
  })
})
