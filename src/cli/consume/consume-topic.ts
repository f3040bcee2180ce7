import type { Client } from '../../client/client.js'
import { QuietExit } from '../failure.js'
import { Output } from '../output.js'
import { onStopSignal } from '../stop-signals.js'
import { GroupOffsets } from './group-offsets.js'
import { type RecordFormat, RecordFormatter } from './record-formatter.js'
import { startOffsets } from './start-offsets.js'
import { TopicPrinter } from './topic-printer.js'

export interface ConsumeOptions extends RecordFormat {
  readonly topic: string
  readonly fromBeginning: boolean
  /** In ms since 1970. */
  readonly fromTime: number | undefined
  readonly group: string | undefined
  readonly partition: number | undefined
  readonly maxMessages: number | undefined
  readonly timeoutMs: number | undefined
  readonly metadataMaxAgeMs: number
}

/** Prints records until enough are printed, none come any more, or a signal ends it. */
export async function consumeTopic(client: Client, options: ConsumeOptions): Promise<void> {
  const { topic, partition, fromBeginning, fromTime, timeoutMs, metadataMaxAgeMs } = options
  const group = options.group === undefined ? null : new GroupOffsets(client, options.group, topic)
  const stop = new AbortController()
  const signals = onStopSignal(() => stop.abort())
  try {
    const starts = await startOffsets(client, { topic, partition, fromBeginning, fromTime, group })
    let known = starts.size
    // They are read from their beginning, whatever the others were: all that is in them is new.
    const newPartitions = async (): Promise<Map<number, number>> => {
      if (partition !== undefined) return new Map()
      const added = await startOffsets(client, { topic, partition, from: known, fromBeginning: true, group })
      known += added.size
      return added
    }
    const formatter = new RecordFormatter(options)
    const printer = new TopicPrinter(client, new Output(), {
      topic,
      starts,
      newPartitions,
      metadataMaxAgeMs,
      group,
      formatter,
      maxMessages: options.maxMessages ?? Number.POSITIVE_INFINITY,
      timeoutMs,
      signal: stop.signal,
    })
    await printer.run().catch((error) => commitAndThrow(group, error))
    await group?.commit()
  } finally {
    signals.dispose()
  }
}

/** What was printed counts, whatever ends it; but not what went into a pipe that nobody reads any more. */
async function commitAndThrow(group: GroupOffsets | null, error: unknown): Promise<void> {
  if (!(error instanceof QuietExit)) await group?.commit().catch(() => {})
  throw error
}
