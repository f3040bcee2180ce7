/** A file as the page cache has it, and everything that a crash may have made of it on the disk. */
import type { Random } from '../../support/random.js'

export const SECTOR = 512

/** How a crash chooses among what a file may be. */
export type Taste =
  /** All that was written. */
  | 'all'
  /** What was synced, and no more. */
  | 'synced'
  /** The new length, and of the unsynced sectors none: as where blocks were allocated late. */
  | 'length'
  /** Of the unsynced sectors one is missing. */
  | 'one-missing'
  /** Each sector, and the length, for itself. */
  | 'any'

export const TASTES: readonly Taste[] = ['all', 'synced', 'length', 'one-missing', 'any']

const ZEROES = Buffer.alloc(SECTOR)

export class DiskFile {
  /** Mapped by the program: what it stores there is not recorded, and may be anything. */
  isMapped = false
  /** The last that was seen of a mapped file. */
  seen: Buffer | null = null
  #bytes = Buffer.alloc(0)
  #length = 0
  #durableLength = 0
  /** Lengths since the last sync, the last of them the one now. */
  #lengths: number[] = []
  /** Of the sectors that were written since the last sync: as it was then, and each version since. */
  readonly #versions = new Map<number, Buffer[]>()
  /** Sectors whose sync failed: nobody knows what the disk has of them until they are written again. */
  readonly #doubtful = new Set<number>()
  #isLengthDoubtful = false

  /** A file that is on the disk as it is. */
  static of(bytes: Buffer): DiskFile {
    const file = new DiskFile()
    file.write(0, bytes)
    file.sync()
    return file
  }

  get length(): number {
    return this.#length
  }

  get isSynced(): boolean {
    return this.#versions.size === 0 && this.#lengths.length === 0
  }

  content(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  write(position: number, bytes: Buffer): void {
    const end = position + bytes.length
    const first = Math.floor(Math.min(position, this.#length) / SECTOR)
    const last = Math.ceil(end / SECTOR)
    for (let sector = first; sector < last; sector++) this.#remember(sector)
    this.#reserve(end)
    bytes.copy(this.#bytes, position)
    for (let sector = first; sector < last; sector++) this.#changed(sector)
    this.#setLength(Math.max(this.#length, end))
  }

  truncate(length: number): void {
    const from = Math.floor(length / SECTOR)
    const to = Math.ceil(this.#length / SECTOR)
    if (length < this.#length) {
      for (let sector = from; sector < to; sector++) this.#remember(sector)
      this.#bytes.fill(0, length, this.#length)
      for (let sector = from; sector < to; sector++) this.#changed(sector)
    }
    this.#reserve(length)
    this.#setLength(length)
  }

  allocate(length: number): void {
    if (length > this.#length) this.truncate(length)
  }

  sync(): void {
    for (const sector of this.#versions.keys()) if (!this.#doubtful.has(sector)) this.#versions.delete(sector)
    if (this.#isLengthDoubtful) return
    this.#durableLength = this.#length
    this.#lengths = []
  }

  /** A sync failed: the pages are clean from now on, and what the disk has is not known. */
  failSync(): void {
    for (const sector of this.#versions.keys()) this.#doubtful.add(sector)
    if (this.#lengths.length > 0) this.#isLengthDoubtful = true
  }

  /** What the recorded program reads behind it is what it had written: so that is what the disk has. */
  dropCache(): void {
    for (const sector of this.#doubtful) this.#versions.delete(sector)
    this.#doubtful.clear()
    if (!this.#isLengthDoubtful) return
    this.#isLengthDoubtful = false
    this.#durableLength = this.#length
    this.#lengths = []
  }

  /** What a crash leaves. */
  afterCrash(random: Random, taste: Taste): Buffer {
    if (this.isMapped && taste !== 'all') return this.#mapped(random)
    const whole = this.isMapped ? this.#withSeen() : null
    if (whole !== null) return whole
    if (taste === 'all' || this.isSynced) return Buffer.from(this.content())
    const lengths = [this.#durableLength, ...this.#lengths]
    const isLate = taste === 'length' || taste === 'one-missing'
    const length = taste === 'synced' ? this.#durableLength : isLate ? this.#length : random.pick(lengths)
    const bytes = Buffer.alloc(Math.ceil(Math.max(length, this.#length) / SECTOR) * SECTOR)
    this.#bytes.copy(bytes, 0, 0, this.#length)
    const missing = taste === 'one-missing' ? random.pick([...this.#versions.keys(), -1]) : -1
    for (const [sector, versions] of this.#versions) {
      if (sector * SECTOR >= length) continue
      const latest = this.#sector(sector)
      let version = latest
      // It was cut, and the cut is not there: what was cut is.
      if (length > this.#length && (sector + 1) * SECTOR > this.#length) version = versions[0] as Buffer
      else if (taste === 'any') version = random.next() < 0.5 ? latest : random.pick(versions)
      else if (taste !== 'one-missing' || sector === missing) version = versions[0] as Buffer
      version.copy(bytes, sector * SECTOR)
    }
    return bytes.subarray(0, length)
  }

  /** As it is now, with what was seen through its mapping. */
  #withSeen(): Buffer {
    const bytes = Buffer.from(this.content())
    this.seen?.copy(bytes, 0, 0, Math.min(this.seen.length, bytes.length))
    return bytes
  }

  #mapped(random: Random): Buffer {
    const length = random.pick([this.#durableLength, ...this.#lengths, this.#length])
    const bytes = Buffer.alloc(length)
    const known = this.#withSeen()
    const isMixed = random.next() < 0.3
    const every = random.pick(['seen', 'seen', 'zeroes', 'garbage'] as const)
    for (let at = 0; at < length; at += SECTOR) {
      const end = Math.min(at + SECTOR, length)
      const what = isMixed ? random.pick(['seen', 'zeroes', 'garbage'] as const) : every
      if (what === 'seen') known.subarray(at, end).copy(bytes, at)
      // The bytes of indexes are mostly zero: garbage that looks like entries is found wrong the hard way.
      else if (what === 'garbage') for (let i = at; i < end; i++) bytes[i] = i % 4 < 2 ? 0 : random.integer(0, 255)
    }
    return bytes
  }

  #sector(sector: number): Buffer {
    return this.#bytes.subarray(sector * SECTOR, (sector + 1) * SECTOR)
  }

  #remember(sector: number): void {
    if (this.#versions.has(sector)) return
    const end = (sector + 1) * SECTOR
    this.#versions.set(sector, [end <= this.#bytes.length ? Buffer.from(this.#sector(sector)) : ZEROES])
  }

  #changed(sector: number): void {
    const end = (sector + 1) * SECTOR
    // It is dirty again: the next sync brings it to the disk.
    this.#doubtful.delete(sector)
    if (end <= this.#bytes.length) (this.#versions.get(sector) as Buffer[]).push(Buffer.from(this.#sector(sector)))
  }

  #setLength(length: number): void {
    if (length === this.#length) return
    this.#isLengthDoubtful = false
    this.#length = length
    this.#lengths.push(length)
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return
    const size = Math.max(4 * SECTOR, 2 ** Math.ceil(Math.log2(length)))
    const larger = Buffer.alloc(size)
    this.#bytes.copy(larger)
    this.#bytes = larger
  }
}
