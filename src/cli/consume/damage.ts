import type { Client } from '../../client/client.js'
import { MyKafkaError } from '../../errors.js'

/**
 * The first offset behind a damaged one that is not damaged. The broker says where the damages are that it knows, so
 * that a large one takes no more requests than a small one.
 *
 * @param damaged - an offset that answered CORRUPT_MESSAGE
 */
export async function endOfDamage(client: Client, topic: string, partition: number, damaged: number): Promise<number> {
  let offset = damaged
  let unknown = 0
  do {
    const end = isPowerOfTwo(unknown + 1) ? await endOfKnown(client, topic, partition, offset) : null
    unknown = end === null ? unknown + 1 : 0
    offset = end ?? offset + 1
  } while (await isDamaged(client, topic, partition, offset))
  return offset
}

/** What the broker does not know of, as a batch that does not decompress, is asked for ever more rarely. */
function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count))
}

/** Where the damage ends that the broker knows to hold the offset; null where it knows of none. */
async function endOfKnown(client: Client, topic: string, partition: number, offset: number): Promise<number | null> {
  const storage = await client.describeStorage(topic).catch((error: unknown) => {
    if (error instanceof MyKafkaError && error.code === 'MESSAGE_TOO_LARGE') return null
    throw error
  })
  const found = storage?.partitions.find((each) => each.partition === partition)
  if (found === undefined || found.offline) return null
  const damages = found.segments.flatMap((segment) => segment.damages)
  const damage = damages.find(({ firstOffset, nextOffset }) => firstOffset <= offset && offset < nextOffset)
  return damage?.nextOffset ?? null
}

async function isDamaged(client: Client, topic: string, partition: number, offset: number): Promise<boolean> {
  try {
    await client.fetch(topic, partition, offset, { maxBytes: 1 })
    return false
  } catch (error) {
    if (error instanceof MyKafkaError && error.code === 'CORRUPT_MESSAGE') return true
    throw error
  }
}
