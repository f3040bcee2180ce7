import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'mykafka/client'

const LOST = new Set(['NETWORK_EXCEPTION', 'CONNECTION_CLOSED'])

/**
 * Connects and runs `use`. Where the connection is lost, connects again and runs it again, until it returns; so
 * `use` must find out itself where it left off. What else goes wrong is thrown.
 *
 * @template T
 * @param {{ host: string, port: number }} address
 * @param {AbortSignal} signal ends the trying
 * @param {(client: Client) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withClient(address, signal, use) {
  for (;;) {
    signal.throwIfAborted()
    let client
    try {
      client = await Client.connect({ host: address.host, port: address.port, signal })
      return await use(client)
    } catch (error) {
      if (!LOST.has(error.code)) throw error
      await sleep(10, undefined, { signal })
    } finally {
      await client?.close()
    }
  }
}
