import { readFile } from 'node:fs/promises'
import { MyKafkaError } from '../errors.js'
import type { StateDirectory } from '../log/state-directory.js'

/** The file that says so, in the broker's own directory. */
export const META_PROPERTIES = 'meta.properties'
/** The data directory's layout, docs/disk-format.md. */
const FORMAT_VERSION = 1

/** Who a data directory belongs to. */
export interface BrokerIdentity {
  clusterId: string
  nodeId: number
  /** It was given now. */
  isNew?: boolean
}

/** 16 random bytes in Kafka's form of an id: 22 characters of base64url, not beginning with a dash. */
export function newKafkaId(): string {
  for (;;) {
    // The global, which loads when it is used: node:crypto would cost each start 4 ms.
    const id = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url')
    if (!id.startsWith('-')) return id
  }
}

/**
 * Reads the identity of a data directory; gives it one where it has none.
 *
 * @throws MyKafkaError UNSUPPORTED_FORMAT_VERSION for a layout that this version does not know
 */
export async function loadIdentity(state: StateDirectory, nodeId: number): Promise<BrokerIdentity> {
  const known = await readIdentity(state.path(META_PROPERTIES), nodeId)
  if (known !== null) return known
  const identity = { clusterId: newKafkaId(), nodeId, isNew: true }
  const text = `version=${FORMAT_VERSION}\ncluster.id=${identity.clusterId}\nnode.id=${nodeId}\n`
  await state.write(META_PROPERTIES, text)
  return identity
}

/**
 * Null where there is no such file yet.
 *
 * @param nodeId - of one that the file does not say
 * @throws MyKafkaError UNSUPPORTED_FORMAT_VERSION, INVALID_CONFIG
 */
export async function readIdentity(path: string, nodeId: number): Promise<BrokerIdentity | null> {
  const properties = await readProperties(path)
  if (properties === null) return null
  const version = properties.get('version')
  const clusterId = properties.get('cluster.id')
  if (version === undefined || (version === String(FORMAT_VERSION) && clusterId === undefined)) {
    const missing = version === undefined ? 'version' : 'cluster.id'
    const reason = `${path}: the file is torn, there is no ${missing} in it (docs/operations.md says how to mend it)`
    throw new MyKafkaError('UNSUPPORTED_FORMAT_VERSION', reason)
  }
  if (version !== String(FORMAT_VERSION) || clusterId === undefined) {
    const reason = `${path}: format version ${version}; this version of mykafka knows ${FORMAT_VERSION}`
    throw new MyKafkaError('UNSUPPORTED_FORMAT_VERSION', reason)
  }
  const kept = Number(properties.get('node.id') ?? nodeId)
  if (kept === (kept | 0)) return { clusterId, nodeId: kept }
  throw new MyKafkaError('INVALID_CONFIG', `${path}: node.id is ${properties.get('node.id')}`)
}

async function readProperties(path: string): Promise<Map<string, string> | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const lines = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.split('=', 1)[0] as string, line.slice(line.indexOf('=') + 1)]))
}
