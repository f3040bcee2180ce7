import type * as Snappy from 'snappy'
import { codecPackage } from './codec-packages.js'
import { type Decompress, INLINE_BYTES, MOST_BLOCKS, tooLarge, undecodable, type Where } from './compression-codec.js'

/** How snappy-java begins: its frame is not the one that snappy itself describes. */
const JAVA_MAGIC = Buffer.from('\x82SNAPPY\0', 'latin1')
/** Behind the magic: version and compatible version, int32 each. */
const JAVA_HEAD = JAVA_MAGIC.length + 8

/**
 * Raw snappy, or the framing of Java's library: a head, then blocks of raw snappy with an int32 length each. A raw
 * block begins with its uncompressed length, which the library allocates: it is looked at first.
 */
export function loadSnappy(): Decompress {
  const snappy = codecPackage<typeof Snappy>('snappy', ['uncompress', 'uncompressSync'])
  return (bytes, maxBytes, where) => decompressSnappy(snappy, bytes, maxBytes, where)
}

async function decompressSnappy(snappy: typeof Snappy, bytes: Buffer, maxBytes: number, where: Where): Promise<Buffer> {
  const uncompressBlock = async (block: Buffer, left: number, place: Where): Promise<Buffer> => {
    const length = uncompressedLength(block)
    if (length > left) throw tooLarge('snappy', maxBytes)
    const isHere = place === 'here' && length <= INLINE_BYTES
    return (isHere ? snappy.uncompressSync(block) : await snappy.uncompress(block)) as Buffer
  }
  const isFramed = bytes.length >= JAVA_HEAD && bytes.subarray(0, JAVA_MAGIC.length).equals(JAVA_MAGIC)
  if (!isFramed) return await uncompressBlock(bytes, maxBytes, where)
  let inline = where === 'here' ? INLINE_BYTES : 0
  const blocks: Buffer[] = []
  let left = maxBytes
  for (let at = JAVA_HEAD; at < bytes.length; ) {
    if (bytes.length - at < 4) throw undecodable('snappy', 'a block is cut off')
    const length = bytes.readInt32BE(at)
    at += 4
    if (length < 0 || length > bytes.length - at) throw undecodable('snappy', `a block has the length ${length}`)
    if (blocks.length === MOST_BLOCKS) throw undecodable('snappy', `there are more than ${MOST_BLOCKS} blocks`)
    const block = await uncompressBlock(bytes.subarray(at, at + length), left, inline > 0 ? 'here' : 'aside')
    blocks.push(block)
    // What it all comes to is not done here, however small the blocks are.
    inline -= block.length
    left -= block.length
    at += length
  }
  return blocks.length === 1 ? (blocks[0] as Buffer) : Buffer.concat(blocks)
}

/** The varint that a raw block begins with. */
function uncompressedLength(block: Buffer): number {
  let length = 0
  for (let i = 0; i < 5; i++) {
    const byte = block[i]
    if (byte === undefined) break
    length += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return length
  }
  throw undecodable('snappy', 'it does not say its length')
}
