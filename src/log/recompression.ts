import * as zlib from 'node:zlib'
import { MyKafkaError } from '../errors.js'
import { CODECS, type CodecName } from './compression-codec.js'

/** Records as a codec has compressed them. */
export interface Compressed {
  /** The codec's number. */
  readonly codec: number
  readonly bytes: Buffer
}

type Compress = (bytes: Buffer) => Promise<Buffer>
type ZlibCompress = (bytes: Buffer, done: (error: Error | null, result: Buffer) => void) => void

const GZIP = CODECS.indexOf('gzip')

const LOADERS: Record<Exclude<CodecName, 'none'>, () => Promise<Compress | null>> = {
  gzip: async () => byZlib(zlib.gzip),
  // Raw, without the framing of Java's library: every client reads both.
  snappy: async () => {
    const { compress } = await import('snappy')
    return (bytes) => compress(bytes)
  },
  // Blocks that do not depend on one another, which Java's client insists on.
  lz4: async () => {
    const { compressFrame } = await import('lz4-napi')
    return (bytes) => compressFrame(bytes)
  },
  // Node has it from 22.15 on.
  zstd: async () => {
    const { zstdCompress } = zlib as { zstdCompress?: ZlibCompress }
    return zstdCompress === undefined ? null : byZlib(zstdCompress)
  },
}

const loaded = new Map<CodecName, Compress | null>()

/**
 * Compresses the records of a batch. Where this platform cannot by that codec (zstd before Node 22.15), by gzip: of all
 * codecs it is the one that every client reads.
 *
 * @param codec - its number
 * @throws MyKafkaError UNSUPPORTED_COMPRESSION_TYPE for an unknown codec, or one whose package cannot be loaded
 */
export async function compress(codec: number, bytes: Buffer): Promise<Compressed> {
  const name = CODECS[codec]
  if (name === undefined) throw new MyKafkaError('UNSUPPORTED_COMPRESSION_TYPE', `there is no codec ${codec}`)
  if (name === 'none') return { codec, bytes }
  const run = loaded.has(name) ? loaded.get(name) : await load(name)
  return run ? { codec, bytes: await run(bytes) } : await compress(GZIP, bytes)
}

async function load(name: Exclude<CodecName, 'none'>): Promise<Compress | null> {
  try {
    const run = await LOADERS[name]()
    loaded.set(name, run)
    return run
  } catch (cause) {
    throw new MyKafkaError('UNSUPPORTED_COMPRESSION_TYPE', `${name} cannot be loaded on this platform`, { cause })
  }
}

function byZlib(run: ZlibCompress): Compress {
  return (bytes) =>
    new Promise((resolve, reject) => {
      run(bytes, (error, result) => (error === null ? resolve(result) : reject(error)))
    })
}
