import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from './connect.js'

/**
 * @typedef {object} Consumption
 * @property {string} topic
 * @property {number} partitions
 * @property {string} group
 * @property {(client: import('mykafka/client').Client, partition: number) => Promise<number>} position
 *   where to go on, behind each connect
 * @property {(partition: number, records: import('mykafka/client').LogRecord[]) => void} handle
 *   stores what the records are for; only then their offset is committed
 * @property {() => boolean} atEnd whether nothing more will be produced
 */

/**
 * Reads all partitions of a topic, side by side over one connection, until nothing more comes.
 *
 * @param {{ host: string, port: number }} address
 * @param {AbortSignal} signal
 * @param {Consumption} consumption
 */
export async function consume(address, signal, consumption) {
  const partitions = Array.from({ length: consumption.partitions }, (_, partition) => partition)
  await withClient(address, signal, (client) =>
    Promise.all(partitions.map((partition) => consumePartition(client, partition, signal, consumption))),
  )
}

async function consumePartition(client, partition, signal, { topic, group, position, handle, atEnd }) {
  let offset = await position(client, partition)
  // What was stored before the connection broke may not have been committed.
  if (offset > 0) await client.commitOffset(group, topic, partition, offset)
  for (;;) {
    const last = atEnd()
    const records = await client.fetch(topic, partition, offset, { maxBytes: 16 * 1024 })
    if (records.length > 0) {
      handle(partition, records)
      offset = records.at(-1).offset + 1
      await client.commitOffset(group, topic, partition, offset)
    } else if (last) {
      return
    } else {
      await sleep(5, undefined, { signal })
    }
  }
}
