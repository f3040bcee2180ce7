import * as zlib from 'node:zlib'
import { CODECS } from './compression-codec.js'
import { codecName, LoadedCodecs } from './loaded-codecs.js'

/** Records as a codec has compressed them. */
export interface Compressed {
  /** The codec's number. */
  readonly codec: number
  readonly bytes: Buffer
}

type Compress = (bytes: Buffer) => Promise<Buffer>
type ZlibCompress = (bytes: Buffer, done: (error: Error | null, result: Buffer) => void) => void

const GZIP = CODECS.indexOf('gzip')

const codecs = new LoadedCodecs<Compress | null>({
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
})

/**
 * Compresses the records of a batch. Where this platform cannot by that codec (zstd before Node 22.15), by gzip: of all
 * codecs it is the one that every client reads.
 *
 * @param codec - its number
 * @throws MyKafkaError UNSUPPORTED_COMPRESSION_TYPE for an unknown codec, or one whose package cannot be loaded
 */
export async function compress(codec: number, bytes: Buffer): Promise<Compressed> {
  const name = codecName(codec)
  if (name === 'none') return { codec, bytes }
  const run = await codecs.get(name)
  return run ? { codec, bytes: await run(bytes) } : await compress(GZIP, bytes)
}

function byZlib(run: ZlibCompress): Compress {
  return (bytes) =>
    new Promise((resolve, reject) => {
      run(bytes, (error, result) => (error === null ? resolve(result) : reject(error)))
    })
}
