import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Client } from '../../src/client/index.js'
import { BrokerProcess } from '../support/broker-process.js'
import { topicTree } from '../support/data-directory.js'
import { canInject, underFault } from '../support/injected-fault.js'
import { testRandom } from '../support/random.js'
import { temporaryDirectory } from '../support/temporary.js'
import { Account, ARGS, expectAllThere, PARTITIONS, TOPIC } from './scenarios/account.js'

describe.runIf(canInject)('a disk that fails', () => {
  it('a failed sync: the append is refused, so are later ones until a restart, and reading goes on', async () => {
    const random = testRandom()
    const dataDir = join(await temporaryDirectory(), 'data')
    const account = new Account()
    const under = underFault(['fdatasync'], 'error=EIO:when=4+')
    const failing = await BrokerProcess.start({ dataDir, args: ['--fsync', 'always'], under })
    let client = await Client.connect({ port: failing.port })
    await client.createTopic(TOPIC, PARTITIONS)
    const append = async (partition: number): Promise<void> => {
      const request = account.ledger.request(random, 0, partition)
      const answer = await client.produce(TOPIC, request.records, { partition })
      request.baseOffset = answer.baseOffset
    }
    const refused = { code: 'KAFKA_STORAGE_ERROR' }
    const appendUntilRefused = async (): Promise<void> => {
      for (let i = 0; i < 100; i++) await append(0)
    }
    await expect(appendUntilRefused()).rejects.toMatchObject(refused)
    await expect(append(0)).rejects.toMatchObject(refused)
    await expectAllThere(client, account)
    // Not a clean stop: the next start must recover.
    expect(await failing.stop()).toEqual({ code: 0, signal: null })
    expect(failing.log.map(({ msg }) => msg)).toContain('the log refuses writes until a restart')
    expect(await readdir(join(dataDir, '@broker'))).not.toContain('clean-shutdown')

    const broker = await BrokerProcess.start({ dataDir })
    client = await Client.connect({ port: broker.port })
    await expectAllThere(client, account)
    await append(0)
    await append(1)
    await expectAllThere(client, account)
    expect(await broker.stop()).toEqual({ code: 0, signal: null })
  })

  it('a failed write: the append is refused, leaves nothing behind, and the next one goes on', async () => {
    const random = testRandom()
    const dataDir = join(await temporaryDirectory(), 'data')
    const account = new Account()
    const under = underFault(['pwritev', 'pwritev2'], 'error=EIO:when=5+3')
    const broker = await BrokerProcess.start({ dataDir, args: ARGS, under })
    const client = await Client.connect({ port: broker.port })
    await client.createTopic(TOPIC, PARTITIONS)
    let refusals = 0
    for (let i = 0; i < 60; i++) {
      const request = account.ledger.request(random, 0, random.integer(0, PARTITIONS - 1))
      try {
        const answer = await client.produce(TOPIC, request.records, { partition: request.partition })
        request.baseOffset = answer.baseOffset
      } catch (error) {
        expect(error).toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
        request.refused = true
        refusals++
      }
    }
    expect(refusals).toBeGreaterThan(5)
    await expectAllThere(client, account)
    await broker.kill()
    const again = await BrokerProcess.start({ dataDir, args: ARGS })
    await expectAllThere(await Client.connect({ port: again.port }), account)
    expect(await again.stop()).toEqual({ code: 0, signal: null })
  })

  it('a topic whose name cannot be brought to the disk is not there, and can be made later', async () => {
    const dataDir = join(await temporaryDirectory(), 'data')
    // The internal topics are made.
    await (await BrokerProcess.start({ dataDir })).stop()
    // The first sync of each thread fails.
    const broker = await BrokerProcess.start({ dataDir, under: underFault(['fsync'], 'error=EIO:when=1', dataDir) })
    const client = await Client.connect({ port: broker.port })
    let refusals = 0
    for (;;) {
      const answer = await client.createTopic(TOPIC, PARTITIONS).catch(() => 'refused')
      if (answer === 'created') break
      expect(answer).toBe('refused')
      refusals++
      expect((await topicTree(dataDir)).has(TOPIC)).toBe(false)
    }
    expect(refusals).toBeGreaterThan(0)
    await client.produce(TOPIC, [{ value: 'x' }], { partition: PARTITIONS - 1 })
    expect((await topicTree(dataDir)).get(TOPIC)).toHaveLength(PARTITIONS)
    expect(await broker.stop()).toEqual({ code: 0, signal: null })
  })
})
