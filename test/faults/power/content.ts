import { seededRandom } from '../../support/seeded-random.js'

const HEADER_BYTES = 16
const MARK = 0x4d4b464c
const POOL = seededRandom(1).bytes(1 << 20)

/** Which record it is: who wrote it, and the how-manieth of those that one wrote. */
export interface RecordId {
  readonly writer: number
  readonly sequence: number
}

/** What records hold follows from who writes them, their number and the seed: any byte of them can be held against that. */
export class Content {
  readonly #seed: number

  constructor(seed: number) {
    this.#seed = seed
  }

  key({ writer, sequence }: RecordId): Buffer {
    return Buffer.from(`${writer}.${sequence}`)
  }

  value({ writer, sequence }: RecordId): Buffer {
    const hash = mix(this.#seed, writer, sequence)
    const length = lengthOf(hash)
    const value = Buffer.allocUnsafe(HEADER_BYTES + length)
    value.writeUInt32BE(MARK, 0)
    value.writeInt32BE(this.#seed, 4)
    value.writeInt32BE(writer, 8)
    value.writeInt32BE(sequence, 12)
    const at = mix(hash, writer, sequence) % (POOL.length - length)
    POOL.copy(value, HEADER_BYTES, at, at + length)
    return value
  }

  /** Of which record a value says that it is; null: of none of this seed. */
  identify(value: Buffer): RecordId | null {
    if (value.length < HEADER_BYTES || value.readUInt32BE(0) !== MARK || value.readInt32BE(4) !== this.#seed)
      return null
    return { writer: value.readInt32BE(8), sequence: value.readInt32BE(12) }
  }
}

/** Mostly small, and now and then larger than what is written at once or than a segment. */
function lengthOf(hash: number): number {
  const kind = hash % 64
  const spread = hash >>> 8
  if (kind === 0) return 20_000 + (spread % 60_000)
  if (kind < 5) return 1000 + (spread % 8000)
  return spread % 300
}

function mix(one: number, other: number, third: number): number {
  let hash = Math.imul(one ^ 0x9e3779b9, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 15) ^ other, 0xc2b2ae35)
  hash = Math.imul(hash ^ (hash >>> 13) ^ third, 0x27d4eb2f)
  return (hash ^ (hash >>> 16)) >>> 0
}
