import type * as Lz4 from 'lz4-napi'
import { codecPackage } from './codec-packages.js'
import { type Decompress, INLINE_BYTES, MOST_BLOCKS, tooLarge, undecodable } from './compression-codec.js'

const MAGIC = 0x184d2204
const VERSION = 1
const FLAG = { blockChecksum: 0x10, contentSize: 0x08, contentChecksum: 0x04, dictionary: 0x01 } as const
const STORED = 0x80000000
/** No block of lz4 grows by more. */
const LARGEST_RATIO = 255

/**
 * LZ4 frames. The library allocates what the blocks decompress to, block by block; so their heads are walked first for
 * what that can be at most.
 */
export function loadLz4(): Decompress {
  const lz4 = codecPackage<typeof Lz4>('lz4-napi', ['decompressFrame', 'decompressFrameSync'])
  return async (bytes, maxBytes, where) => {
    const { most, largestBlock } = walkFrames(bytes)
    // Every block but a frame's last is full, as a rule: the bound is at most one block off.
    if (most > maxBytes + largestBlock) throw tooLarge('lz4', maxBytes)
    const isHere = where === 'here' && most <= INLINE_BYTES
    const result = isHere ? lz4.decompressFrameSync(bytes) : await lz4.decompressFrame(bytes)
    if (result.length > maxBytes) throw tooLarge('lz4', maxBytes)
    return result
  }
}

function walkFrames(bytes: Buffer): { most: number; largestBlock: number } {
  let most = 0
  let largestBlock = 0
  let blocks = 0
  for (let at = 0; at < bytes.length; ) {
    const frame = walkFrame(bytes, at, MOST_BLOCKS - blocks)
    blocks += frame.blocks
    at = frame.end
    most += frame.most
    largestBlock = Math.max(largestBlock, frame.largestBlock)
  }
  return { most, largestBlock }
}

interface Frame {
  /** What it can decompress to at most. */
  readonly most: number
  readonly largestBlock: number
  /** The mark of its end among them. */
  readonly blocks: number
  readonly end: number
}

function walkFrame(bytes: Buffer, start: number, mostBlocks: number): Frame {
  if (bytes.length - start < 7) throw undecodable('lz4', 'the frame is cut off')
  if (bytes.readUInt32LE(start) !== MAGIC) throw undecodable('lz4', 'it is no frame')
  const flags = bytes[start + 4] as number
  const sizeId = ((bytes[start + 5] as number) >> 4) & 7
  if (flags >> 6 !== VERSION || sizeId < 4) throw undecodable('lz4', 'the head of the frame is unknown')
  const largestBlock = 1 << (2 * sizeId + 8)
  let at = start + 7 + (flags & FLAG.contentSize ? 8 : 0) + (flags & FLAG.dictionary ? 4 : 0)
  for (let most = 0, blocks = 1; ; blocks++) {
    if (blocks > mostBlocks) throw undecodable('lz4', `there are more than ${MOST_BLOCKS} blocks`)
    if (bytes.length - at < 4) throw undecodable('lz4', 'the frame is cut off')
    const size = bytes.readUInt32LE(at)
    at += 4
    if (size === 0) return { most, largestBlock, blocks, end: at + (flags & FLAG.contentChecksum ? 4 : 0) }
    const length = size % STORED
    if (length > largestBlock) throw undecodable('lz4', `a block has the length ${length}`)
    most += size >= STORED ? length : Math.min(largestBlock, length * LARGEST_RATIO)
    at += length + (flags & FLAG.blockChecksum ? 4 : 0)
  }
}
