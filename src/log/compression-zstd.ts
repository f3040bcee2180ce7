import * as zlib from 'node:zlib'
import { type Decompress, MOST_BLOCKS, tooLarge, undecodable } from './compression-codec.js'

const MAGIC = 0xfd2fb528
const LARGEST_BLOCK = 128 << 10
const BLOCK = { raw: 0, rle: 1, compressed: 2 } as const

/** Node's function, as far as it is used here. */
export type ZstdDecompress = (
  bytes: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Buffer) => void,
) => void

/** Node's own where it has one (from 22.15 on), else zstd compiled to WebAssembly. */
export async function loadZstd(): Promise<Decompress> {
  const { zstdDecompress } = zlib as { zstdDecompress?: ZstdDecompress }
  return zstdDecompress === undefined ? await loadWasm() : byNode(zstdDecompress)
}

/** Node reads one frame and, in some versions, takes one that is cut off for whole: the frames are found first. */
export function byNode(zstdDecompress: ZstdDecompress): Decompress {
  const decompressFrame = (frame: Buffer, left: number, maxBytes: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      zstdDecompress(frame, { maxOutputLength: left }, (error, result) => {
        if (error === null) resolve(result)
        else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge('zstd', maxBytes))
        else reject(undecodable('zstd', error))
      })
    })
  return async (bytes, maxBytes) => {
    const parts: Buffer[] = []
    let left = maxBytes
    for (const { start, end } of walkFrames(bytes)) {
      if (left === 0) throw tooLarge('zstd', maxBytes)
      const part = await decompressFrame(bytes.subarray(start, end), left, maxBytes)
      parts.push(part)
      left -= part.length
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
  }
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
    const most = walkFrames(bytes).reduce((sum, frame) => sum + frame.most, 0)
    // Told to make nothing, it makes what the frame claims.
    if (most === 0) return Buffer.alloc(0)
    const result = decoder.decode(bytes, Math.max(1, Math.min(most, maxBytes)))
    // A byte is asked for also where none is allowed.
    if (result.length > maxBytes) throw tooLarge('zstd', maxBytes)
    // It answers an error with nothing.
    if (result.length > 0) return Buffer.from(result.buffer, result.byteOffset, result.length)
    if (most > maxBytes) throw tooLarge('zstd', maxBytes)
    throw undecodable('zstd', 'the frame is damaged')
  }
}

interface Frame {
  start: number
  end: number
  blocks: number
  /** What its blocks decompress to at most. */
  most: number
}

/** The frames, whole ones, that the bytes are made of. */
function walkFrames(bytes: Buffer): Frame[] {
  const frames: Frame[] = []
  let blocks = 0
  for (let at = 0; at < bytes.length; ) {
    const frame = walkFrame(bytes, at, MOST_BLOCKS - blocks)
    blocks += frame.blocks
    frames.push(frame)
    at = frame.end
  }
  if (frames.length === 0) throw undecodable('zstd', 'there is no frame')
  return frames
}

function walkFrame(bytes: Buffer, start: number, mostBlocks: number): Frame {
  const head = frameHead(bytes, start)
  let at = head.end
  let most = 0
  let blocks = 0
  for (let isLast = false; !isLast; ) {
    if (++blocks > mostBlocks) throw undecodable('zstd', `there are more than ${MOST_BLOCKS} blocks`)
    if (bytes.length - at < 3) throw undecodable('zstd', 'the frame is cut off')
    const block = bytes.readUIntLE(at, 3)
    isLast = (block & 1) === 1
    const type = (block >> 1) & 3
    const size = block >> 3
    if (type > BLOCK.compressed || size > LARGEST_BLOCK) throw undecodable('zstd', 'a block is unknown')
    most += type === BLOCK.compressed ? LARGEST_BLOCK : size
    at += 3 + (type === BLOCK.rle ? 1 : size)
  }
  const end = at + head.checksumLength
  if (end > bytes.length) throw undecodable('zstd', 'the frame is cut off')
  return { start, end, blocks, most: Math.min(most, head.contentSize) }
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
