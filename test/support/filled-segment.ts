import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { FileSlice } from '../../src/log/file-slice.js'
import { native } from '../../src/native/load.js'
import type { NativeSegment } from '../../src/native/native.js'
import { seededRandom } from './random.js'
import { temporaryDirectory } from './temporary.js'

let filling: Buffer | null = null
const NULL_KEY = Buffer.from([0xff, 0xff, 0xff, 0xff])

/** A slice that knows how often it was released. */
export interface CountedSlice extends FileSlice {
  released: number
}

/** A real segment with some megabytes in it, and its bytes as the file system gives them. */
export class FilledSegment {
  private constructor(
    readonly segment: NativeSegment,
    readonly bytes: Buffer,
  ) {}

  static async make(megabytes: number): Promise<FilledSegment> {
    const directory = await temporaryDirectory()
    const segment = native.createSegment({
      directory,
      baseOffset: 0,
      indexIntervalBytes: 4096,
      indexMaxBytes: 1 << 20,
    })
    filling ??= seededRandom(1).bytes(1 << 20)
    const value = Buffer.from(filling)
    for (let offset = 0; offset < megabytes; offset++) {
      value.writeUInt32BE(offset, 0)
      const length = Buffer.alloc(4)
      length.writeInt32BE(value.length)
      segment.append([Buffer.concat([NULL_KEY, length, value])], [1], [0], offset)
    }
    return new FilledSegment(segment, readFileSync(segment.logPath))
  }

  slice(position: number, length: number): CountedSlice {
    const { segment } = this
    segment.pin()
    const slice = {
      segment,
      position,
      length,
      released: 0,
      release: () => {
        slice.released++
        segment.unpin()
      },
    }
    return slice
  }

  /** Puts the file's pages out of memory. */
  async makeCold(): Promise<void> {
    await this.segment.sync()
    execFileSync('dd', [`if=${this.segment.logPath}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
  }
}
