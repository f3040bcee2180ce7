import * as zlib from 'node:zlib'
import type * as Lz4 from 'lz4-napi'
import type * as Snappy from 'snappy'
import { codecPackage } from './codec-packages.js'
import { CODECS, INLINE_BYTES, type Where } from './compression-codec.js'
import { codecName, LoadedCodecs } from './loaded-codecs.js'

/** Records as a codec has compressed them. */
export interface Compressed {
  /** The codec's number. */
  readonly codec: number
  readonly bytes: Buffer
}

type Compress = (bytes: Buffer, where: Where) => Promise<Buffer>
type ZlibCompress = (
  bytes: Buffer,
  options: { chunkSize?: number },
  done: (error: Error | null, result: Buffer) => void,
) => void

/** Node allows no chunk below 64. */
const ZLIB_OVERHEAD = 64
const GZIP = CODECS.indexOf('gzip')

const codecs = new LoadedCodecs<Compress | null>({
  gzip: async () => byZlib(zlib.gzip),
  // Raw, without the framing of Java's library: every client reads both.
  snappy: async () => {
    const { compress, compressSync } = codecPackage<typeof Snappy>('snappy', ['compress', 'compressSync'])
    return async (bytes, where) => (isHere(bytes, where) ? compressSync(bytes) : await compress(bytes))
  },
  // Blocks that do not depend on one another, which Java's client insists on.
  lz4: async () => {
    const { compressFrame, compressFrameSync } = codecPackage<typeof Lz4>('lz4-napi', [
      'compressFrame',
      'compressFrameSync',
    ])
    return async (bytes, where) => (isHere(bytes, where) ? compressFrameSync(bytes) : await compressFrame(bytes))
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
 * @param where - of what is small; the rest is done aside
 * @throws MyKafkaError UNSUPPORTED_COMPRESSION_TYPE for an unknown codec, or one whose package cannot be loaded
 */
export async function compress(codec: number, bytes: Buffer, where: Where = 'aside'): Promise<Compressed> {
  const name = codecName(codec)
  if (name === 'none') return { codec, bytes }
  const run = await codecs.get(name)
  return run ? { codec, bytes: await run(bytes, where) } : await compress(GZIP, bytes)
}

function isHere(bytes: Buffer, where: Where): boolean {
  return where === 'here' && bytes.length <= INLINE_BYTES
}

function byZlib(run: ZlibCompress): Compress {
  return (bytes) =>
    new Promise((resolve, reject) => {
      // In one chunk, also of what does not compress.
      run(bytes, { chunkSize: bytes.length + (bytes.length >> 3) + ZLIB_OVERHEAD }, (error, result) =>
        error === null ? resolve(result) : reject(error),
      )
    })
}
