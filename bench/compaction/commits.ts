import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { resolveLogConfig } from '../../src/log/log-config.js'
import { PartitionLog } from '../../src/log/partition-log.js'
import { encodePacked } from '../../src/log/record-codec.js'
import { silentLogger } from '../../src/logger.js'
import { native } from '../../src/native/load.js'
import { encodeOffsetKey } from '../../src/topic/offset-key.js'
import type { Table } from '../benchmark.js'
import type { CompactionSettings } from '../compaction.js'
import { residentMiB } from '../support/process-usage.js'
import { StartedBroker } from '../support/started-broker.js'
import { round } from '../support/statistics.js'

const MIB = 1 << 20
const TOPIC = 'topic'
const VALUE_BYTES = 8

/** Writes the commits of groups, one after the other and again and again, as the broker writes them. */
async function writeCommits(directory: string, { commits, groups, offsetsSegmentMiB }: CompactionSettings) {
  const log = await PartitionLog.open(directory, {
    config: resolveLogConfig({ segmentBytes: offsetsSegmentMiB * MIB }),
    logger: silentLogger,
    recoveryPoint: 0,
    logStartOffset: 0,
    clean: true,
    knownFiles: new Set(['partition.metadata']),
  })
  const keys = Array.from({ length: groups }, (_, group) =>
    encodeOffsetKey({ group: `group-${String(group).padStart(4, '0')}`, topic: TOPIC, partition: 0 }),
  )
  const records = encodePacked(keys.map((key) => ({ key, value: Buffer.alloc(VALUE_BYTES) })))
  const storedLength = native.checkPacked(records, groups)
  const recordBytes = records.length / groups
  for (let round = 0; round < commits / groups; round++) {
    for (let at = recordBytes; at <= records.length; at += recordBytes) records.writeUInt32BE(round, at - 4)
    await log.append([{ records, count: groups, timestamp: Date.now(), storedLength }], 1)
  }
  const { bytes } = log.stats()
  await log.close()
  return bytes
}

/** What a start says about the commits that it has read. */
function loaded({ output }: StartedBroker): { commits: number; keys: number } {
  const [, commits, keys] = /loaded (\d+) commits \((\d+) unique keys\)/.exec(output) ?? []
  return { commits: Number(commits), keys: Number(keys) }
}

async function started(state: string, args: readonly string[]): Promise<(string | number)[]> {
  const broker = await StartedBroker.start(args)
  const { commits, keys } = loaded(broker)
  const peak = residentMiB(broker.pid).peak
  await broker.stop()
  return [state, commits, keys, round(broker.listeningMs), round(peak)]
}

/** A start with all commits there ever were, and one with what compaction left of them. */
export async function measureCommits(dataDir: string, settings: CompactionSettings): Promise<Table> {
  const properties = (name: string, text: string): Promise<string> => {
    const path = `${dataDir}-${name}.properties`
    const lines = `offsets.topic.segment.bytes=${settings.offsetsSegmentMiB * MIB}\n${text}\n`
    return writeFile(path, lines).then(() => path)
  }
  const off = ['--data-dir', dataDir, '--port', '0', '--config', await properties('off', 'log.cleaner.enable=false')]
  const on = ['--data-dir', dataDir, '--port', '0', '--config', await properties('on', 'log.cleaner.backoff.ms=50')]
  await (await StartedBroker.start(off)).stop()
  const bytes = await writeCommits(join(dataDir, '__consumer_offsets', '0'), settings)
  const rows = [await started('before it was compacted', off)]
  const compacting = await StartedBroker.start(on)
  await compacting.said(/compacted __consumer_offsets\/0/)
  await compacting.stop()
  rows.push(await started('compacted', off))
  return {
    title: `A start with ${settings.commits} commits of ${settings.groups} groups, ${round(bytes / 1e6)} MB`,
    columns: ['__consumer_offsets', 'commits read', 'groups', 'listening ms', 'peak MiB'],
    rows,
  }
}
