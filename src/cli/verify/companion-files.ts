import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeSnapshot } from '../../log/producer-snapshot.js'
import type { RecordFormat } from '../../log/record-format.js'
import { compactedPath, type SegmentFiles, segmentName } from '../../log/segment-files.js'
import { PARTITION_METADATA, readPartitionMetadata } from '../../topic/partition-metadata.js'
import { type Finding, unreadable } from './finding.js'
import type { LogDirectory } from './target.js'

const COMPACTED_BYTES = 8

/** The files beside a log's segments. */
export class CompanionFiles {
  readonly findings: Finding[] = []
  readonly notes: string[] = []
  readonly #log: LogDirectory

  constructor(log: LogDirectory) {
    this.#log = log
  }

  /** What the metadata of a partition says. Undefined: nothing, or there is none to ask. */
  async recordFormat(): Promise<RecordFormat | undefined> {
    const { directory, topic } = this.#log
    if (topic === null) return undefined
    const file = join(directory, PARTITION_METADATA)
    try {
      const metadata = await readPartitionMetadata(directory)
      if (metadata !== null) return metadata.recordFormat
      this.findings.push({ file, kind: 'metadata', what: 'is missing or says nothing that is known' })
    } catch (error) {
      this.findings.push(unreadable(file, error))
    }
    return undefined
  }

  /** @param end - the log's, null while a broker moves it on */
  async check(files: SegmentFiles, end: number | null): Promise<void> {
    await this.#compacted(files)
    await this.#snapshots(files, end)
    const { directory } = this.#log
    if (files.swaps.length > 0 && end !== null) {
      this.notes.push(`${directory} has a compaction that the next start finishes`)
    }
    for (const name of files.unknown) this.notes.push(`${join(directory, name)} is no part of a log`)
    const cut = (await readdir(directory)).filter((name) => name.includes('.log.cut-'))
    for (const name of cut) this.notes.push(`${join(directory, name)} is what a recovery has cut off`)
  }

  async #compacted({ compacted }: SegmentFiles): Promise<void> {
    for (const base of compacted) {
      const file = compactedPath(this.#log.directory, base)
      const bytes = await this.#read(file)
      // An empty one counts, by its date: it may stand for one that was lost.
      if (bytes === null || bytes.length === 0 || bytes.length === COMPACTED_BYTES) continue
      this.findings.push({ file, kind: 'compacted', what: `has ${bytes.length} bytes: its date counts` })
    }
  }

  async #snapshots({ snapshots }: SegmentFiles, end: number | null): Promise<void> {
    for (const offset of snapshots) {
      const file = join(this.#log.directory, `${segmentName(offset)}.snapshot`)
      const bytes = await this.#read(file)
      if (bytes === null) continue
      if (decodeSnapshot(bytes) === null) this.findings.push({ file, kind: 'snapshot', what: 'is damaged' })
      else if (end !== null && offset > end) this.notes.push(`${file} is above the end of the log: it does not count`)
    }
  }

  /** Null where it is gone meanwhile, or unreadable. */
  async #read(file: string): Promise<Buffer | null> {
    try {
      return await readFile(file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.findings.push(unreadable(file, error))
      return null
    }
  }
}
