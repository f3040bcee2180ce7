import { constants, gunzip } from 'node:zlib'
import { MyKafkaError } from '../errors.js'
import { type Decompress, tooLarge, undecodable, type Where } from './compression-codec.js'
import { codecName, LoadedCodecs } from './loaded-codecs.js'

const codecs = new LoadedCodecs<Decompress>({
  gzip: async () => decompressGzip,
  snappy: async () => (await import('./compression-snappy.js')).loadSnappy(),
  lz4: async () => (await import('./compression-lz4.js')).loadLz4(),
  zstd: async () => (await import('./compression-zstd.js')).loadZstd(),
})

/** So many decompressions go on at once, process-wide: what they may take is bounded by this times their limit. */
const AT_ONCE = 4
let running = 0
const waiting: (() => void)[] = []

/**
 * Decompresses records of a batch. Whatever the compressed bytes say, no more than `maxBytes` and what a codec works
 * with beside it (a block of 4 MiB of lz4, a window of 128 MiB of zstd at the most) are allocated.
 *
 * @param codec - its number
 * @param where - of what is small; the rest is done aside where the codec can
 * @throws MyKafkaError MESSAGE_TOO_LARGE above `maxBytes`, INVALID_RECORD for bytes that are not what the codec writes,
 *   UNSUPPORTED_COMPRESSION_TYPE for an unknown codec, or one that this platform has no package for
 */
export async function decompress(
  codec: number,
  bytes: Buffer,
  maxBytes: number,
  where: Where = 'here',
): Promise<Buffer> {
  const name = codecName(codec)
  if (name === 'none') return bytes
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    const run = await codecs.get(name)
    return await run(bytes, maxBytes, where)
  } catch (cause) {
    // What is wrong with the code, or for want of memory, says nothing of the bytes.
    const isOurs = cause instanceof MyKafkaError || cause instanceof TypeError || cause instanceof RangeError
    throw isOurs ? cause : undecodable(name, cause)
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}

/** Nothing that is compressed by gzip becomes more times as large. */
const LARGEST_GZIP_RATIO = 1032
const GZIP_END = 4

/** Node makes the result of chunks: it is faster by much where there is one of the right size. */
function gzipChunk(bytes: Buffer, maxBytes: number): number {
  const length = bytes.length < GZIP_END ? 0 : bytes.readUInt32LE(bytes.length - GZIP_END)
  const most = Math.min(length, maxBytes, bytes.length * LARGEST_GZIP_RATIO)
  // A byte more, so that it need not be asked for the rest.
  return Math.max(constants.Z_MIN_CHUNK, most + 1)
}

async function decompressGzip(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  // Node takes no such limit.
  if (maxBytes === 0) throw tooLarge('gzip', maxBytes)
  const chunkSize = gzipChunk(bytes, maxBytes)
  return await new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: maxBytes, finishFlush: constants.Z_FINISH, chunkSize }, (error, result) => {
      if (error === null) resolve(result)
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge('gzip', maxBytes))
      else reject(undecodable('gzip', error))
    })
  })
}
