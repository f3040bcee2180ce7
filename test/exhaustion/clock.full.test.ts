import { describe, expect, it } from 'vitest'
import { Client } from '../../src/client/index.js'
import { BrokerProcess } from '../support/broker-process.js'
import { connect, kafkajs } from '../support/kafkajs.js'
import { temporaryDirectory } from '../support/temporary.js'
import { canPreload, faults } from './support/faults.js'

const TEN_DAYS_MS = 10 * 24 * 3_600_000
const OFTEN = ['log.retention.check.interval.ms', 'offsets.retention.check.interval.ms'].flatMap((name) => [
  '--override',
  `${name}=100`,
])

describe.runIf(canPreload)('a clock that is set', () => {
  it('by ten days, forward and back: nothing is deleted by it, and no member of a group is lost', async () => {
    const dataDir = await temporaryDirectory()
    const clock = await faults()
    const broker = await BrokerProcess.start({ dataDir, under: clock.under, args: OFTEN })
    const client = await Client.connect({ port: broker.port })
    const kafka = kafkajs({ bootstrapServers: `127.0.0.1:${broker.port}` })
    const admin = await connect(kafka.admin())
    await client.createTopic('t', 1)
    await client.commitOffset('nobody', 't', 0, 0)
    const consumer = await connect(kafka.consumer({ groupId: 'g', sessionTimeout: 45_000, heartbeatInterval: 100 }))
    await consumer.subscribe({ topic: 't', fromBeginning: true })
    let joins = 0
    consumer.on('consumer.group_join', () => joins++)
    const read: string[] = []
    await consumer.run({ eachMessage: async ({ message }) => void read.push(String(message.value)) })
    const times: number[] = []
    /** A record goes to the topic and to the consumer; then a check of what is too old has been made. */
    const pass = async (name: string): Promise<void> => {
      await client.produce('t', [{ value: name }])
      await expect.poll(() => read).toContain(name)
      times.push((await client.fetch('t', 0, times.length))[0]?.timestamp as number)
      const configEntries = [
        { name: 'retention.bytes', value: '1' },
        { name: 'segment.bytes', value: '1048576' },
      ]
      await admin.createTopics({ topics: [{ topic: name, configEntries }] })
      const checked = broker.writes('retention removed')
      const producer = await connect(kafka.producer())
      for (let i = 0; i < 3; i++) await producer.send({ topic: name, messages: [{ value: 'v'.repeat(900_000) }] })
      await checked
    }
    await pass('before')
    const { members } = (await admin.describeGroups(['g'])).groups[0] as { members: { memberId: string }[] }
    const said = broker.writes('the clock was set forward')
    clock.set('clockShiftMs', TEN_DAYS_MS)
    await said
    await pass('ahead')
    clock.set('clockShiftMs', -TEN_DAYS_MS)
    await pass('behind')
    clock.set('clockShiftMs', 0)
    await pass('right')

    expect(joins).toBe(1)
    const [group] = (await admin.describeGroups(['g'])).groups
    expect(group).toMatchObject({ state: 'Stable', members: [{ memberId: members[0]?.memberId }] })
    expect(read).toEqual(['before', 'ahead', 'behind', 'right'])
    expect(await client.fetchOffset('nobody', 't', 0)).toBe(0)
    const [before, ahead, behind, right] = times as [number, number, number, number]
    expect([ahead > before + TEN_DAYS_MS / 2, behind < before - TEN_DAYS_MS / 2, right < ahead]).toEqual([
      true,
      true,
      true,
    ])
    // The first by offset from that time on.
    const found = await admin.fetchTopicOffsetsByTimestamp('t', before + 1)
    expect(found).toMatchObject([{ partition: 0, offset: '1' }])
    await consumer.disconnect()
    await client.close()
    expect(await broker.stop()).toEqual({ code: 0, signal: null })
  })
})
