import type { Finding } from './finding.js'

/** The interval of the index where nothing is set. */
const USUAL_INTERVAL = 4096

/**
 * Finds indexes that end early. An entry that begins an interval behind the one indexed last is indexed itself; the
 * interval is not in the files, but what lies between two entries of an index was one at least.
 */
export class IndexTails {
  readonly #tails: { file: string; bytes: number }[] = []
  #widest = -1

  /**
   * @param widest - the most bytes between two entries of this index, -1 where there are no two
   * @param bytes - behind its last entry
   */
  add(file: string, widest: number, bytes: number): void {
    this.#widest = Math.max(this.#widest, widest)
    this.#tails.push({ file, bytes })
  }

  /** Where no index of the log has two entries, nothing can be said for sure. */
  judge(): { findings: Finding[]; notes: string[] } {
    const early = this.#tails.filter(({ bytes }) => bytes >= Math.max(this.#widest, USUAL_INTERVAL))
    if (this.#widest < 0) {
      const says = (bytes: number): string => `index.interval.bytes is above ${bytes}, or the others are gone`
      return { findings: [], notes: early.map(({ file, bytes }) => `${file} has one entry: ${says(bytes)}`) }
    }
    const what = (bytes: number): string => `ends early: nothing in it is of the last ${bytes} bytes`
    return { findings: early.map(({ file, bytes }) => ({ file, kind: 'index', what: what(bytes) })), notes: [] }
  }
}
