import * as zlib from 'node:zlib'
import { type Decompress, tooLarge, undecodable } from './compression-codec.js'

const MAGIC = 0xfd2fb528
const LARGEST_BLOCK = 128 << 10
const BLOCK = { raw: 0, rle: 1, compressed: 2 } as const

type ZstdDecompress = (
  bytes: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Buffer) => void,
) => void

/** Node's own where it has one (from 22.15 on), else zstd compiled to WebAssembly. */
export async function loadZstd(): Promise<Decompress> {
  const { zstdDecompress } = zlib as { zstdDecompress?: ZstdDecompress }
  return zstdDecompress === undefined ? await loadWasm() : byNode(zstdDecompress)
}

function byNode(zstdDecompress: ZstdDecompress): Decompress {
  return (bytes, maxBytes) =>
    new Promise((resolve, reject) => {
      zstdDecompress(bytes, { maxOutputLength: maxBytes }, (error, result) => {
        if (error === null) resolve(result)
        else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge('zstd', maxBytes))
        else reject(undecodable('zstd', error))
      })
    })
}

/**
 * The memory of a WebAssembly module never shrinks, and its allocation of the result is not checked: so what the blocks
 * decompress to at most is known before it is asked.
 */
export async function loadWasm(): Promise<Decompress> {
  const { ZSTDDecoder } = await import('zstddec')
  const decoder = new ZSTDDecoder()
  await decoder.init()
  return async (bytes, maxBytes) => {
    const most = mostBytes(bytes)
    const result = decoder.decode(bytes, Math.min(most, maxBytes))
    // It answers an error with nothing.
    if (result.length > 0 || most === 0) return Buffer.from(result.buffer, result.byteOffset, result.length)
    if (most > maxBytes) throw tooLarge('zstd', maxBytes)
    throw undecodable('zstd', 'the frame is damaged')
  }
}

/** What the blocks of these frames decompress to at most. */
function mostBytes(bytes: Buffer): number {
  let most = 0
  for (let at = 0; at < bytes.length; ) {
    const frame = walkFrame(bytes, at)
    most += frame.most
    at = frame.end
  }
  return most
}

function walkFrame(bytes: Buffer, start: number): { most: number; end: number } {
  const head = frameHead(bytes, start)
  let at = head.end
  for (let most = 0, last = false; ; ) {
    if (last) return { most: Math.min(most, head.contentSize), end: at + head.checksumLength }
    if (bytes.length - at < 3) throw undecodable('zstd', 'the frame is cut off')
    const block = bytes.readUIntLE(at, 3)
    at += 3
    last = (block & 1) === 1
    const type = (block >> 1) & 3
    const size = block >> 3
    if (type > BLOCK.compressed || size > LARGEST_BLOCK) throw undecodable('zstd', 'a block is unknown')
    most += type === BLOCK.compressed ? LARGEST_BLOCK : size
    at += type === BLOCK.rle ? 1 : size
  }
}

function frameHead(bytes: Buffer, start: number): { contentSize: number; checksumLength: number; end: number } {
  if (bytes.length - start < 6) throw undecodable('zstd', 'the frame is cut off')
  if (bytes.readUInt32LE(start) !== MAGIC) throw undecodable('zstd', 'it is no frame')
  const flags = bytes[start + 4] as number
  const isSingleSegment = (flags & 0x20) !== 0
  const sizeLength = [isSingleSegment ? 1 : 0, 2, 4, 8][flags >> 6] as number
  const dictionaryLength = [0, 1, 2, 4][flags & 3] as number
  const sizeAt = start + 5 + (isSingleSegment ? 0 : 1) + dictionaryLength
  const end = sizeAt + sizeLength
  if (end > bytes.length) throw undecodable('zstd', 'the frame is cut off')
  return { contentSize: contentSize(bytes, sizeAt, sizeLength), checksumLength: flags & 4, end }
}

function contentSize(bytes: Buffer, at: number, length: number): number {
  if (length === 0) return Number.POSITIVE_INFINITY
  if (length === 8) return Number(bytes.readBigUInt64LE(at))
  // Two bytes say it less 256, so that no size has two spellings.
  return bytes.readUIntLE(at, length) + (length === 2 ? 256 : 0)
}
