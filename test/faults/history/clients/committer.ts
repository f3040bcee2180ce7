import { committedOffset } from './members.js'
import { RECORDS } from './topics.js'
import type { World } from './world.js'

/** Commits offsets of a group without members over MyKafka's wire, forward and back, and asks for them over both wires. */
export async function committer(world: World, name: string, group: string): Promise<void> {
  const { recorder, random } = world.client(name)
  const partition = 0
  const on = `${RECORDS.name}/${partition}`
  await world.connected(world.mykafka, async (client) => {
    let end = 0
    while (!world.isStopping) {
      const asked = { on, op: 'ends' } as const
      if (random.next() < 0.1) {
        const describe = async () => {
          const [topic] = await client.metadata(RECORDS.name)
          const described = topic?.partitions[partition]
          return { logStart: described?.logStartOffset, logEnd: described?.highWatermark ?? 0 }
        }
        end = (await recorder.record(asked, describe, (answer) => answer)).logEnd
      }
      const offset = random.integer(0, end)
      const commit = () => client.commitOffset(group, RECORDS.name, partition, offset)
      await recorder.record({ on, op: 'commit', group, offset }, commit)
      const read = () => client.fetchOffset(group, RECORDS.name, partition)
      await recorder.record({ on, op: 'committed', group }, read, (found) => ({ offset: found }))
      await world.pause(random.integer(0, 20))
    }
  })
}

/** Asks what groups have committed, at the end. */
export async function readCommits(world: World, name: string, groups: ReadonlyMap<string, string>): Promise<void> {
  const { recorder } = world.client(name)
  await world.connected(world.kafka, async (kafka) => {
    for (const [group, topic] of groups) {
      for (const partition of [0, 1]) {
        const asked = { on: `${topic}/${partition}`, op: 'committed', group } as const
        const read = () => committedOffset(kafka, group, topic, partition)
        await recorder.record(asked, read, (offset) => ({ offset }))
      }
    }
  })
}
