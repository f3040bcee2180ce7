import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import { Client, MyKafkaError } from '../../src/client/index.js'
import { BrokerProcess } from '../support/broker-process.js'
import { temporaryDirectory } from '../support/temporary.js'
import { canPreload, faults } from './support/faults.js'

const REFUSED = { code: 'KAFKA_STORAGE_ERROR' }
const VALUE = 'v'.repeat(2000)

describe.runIf(canPreload)('a process that may map no more files', () => {
  it('goes on where it has them mapped, says what fails, and serves all when it may again', async () => {
    const dataDir = await temporaryDirectory()
    const mappings = await faults()
    const options = { dataDir, under: mappings.under, args: ['--segment-bytes', '65536'] }
    let broker = await BrokerProcess.start(options)
    const client = await Client.connect({ port: broker.port })
    await client.createTopic('t', 2)
    await client.produce('t', [{ value: VALUE }], { partition: 0 })

    mappings.set('mappingErrno', constants.errno.ENOMEM)
    let written = 1
    const refused = await (async () => {
      for (; ; written++) await client.produce('t', [{ value: VALUE }], { partition: 0 })
    })().catch((error: unknown) => error)
    // It came to the end of the segment: a new one is mapped.
    expect(refused).toMatchObject(REFUSED)
    expect(written).toBeGreaterThan(20)
    await client.produce('t', [{ value: 'x' }], { partition: 1 })
    await expect(client.createTopic('another', 1)).rejects.toBeInstanceOf(MyKafkaError)
    expect((await client.fetch('t', 0, 0)).length).toBeGreaterThan(20)
    await expect.poll(() => broker.output).toContain('mmap of an index')
    await client.commitOffset('group', 't', 0, 1)

    mappings.set('mappingErrno', 0)
    expect(await client.produce('t', [{ value: VALUE }], { partition: 0 })).toMatchObject({ baseOffset: written })
    expect(await client.createTopic('another', 1)).toBe('created')
    await client.close()
    await broker.kill()
    broker = await BrokerProcess.start(options)
    const reader = await Client.connect({ port: broker.port })
    let read = 0
    for (let got = -1; got !== 0; read += got) got = (await reader.fetch('t', 0, read)).length
    expect(read).toBe(written + 1)
    await reader.close()
    expect(await broker.stop()).toEqual({ code: 0, signal: null })
  })
})
