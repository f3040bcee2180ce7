import { jsonLine } from '../listing.js'
import type { Finding } from './finding.js'
import type { VerifiedState } from './state.js'
import type { LogReport } from './verify-log.js'

/** What was found in the files beside the logs; nothing where there is nothing to say. */
export function stateLines({ directory, live, clean, findings, notes }: VerifiedState, json: boolean): string {
  if (json) return jsonLine({ directory, live, cleanShutdown: clean, damages: findings, notes })
  const all = live ? ['a broker holds the directory: verified below the recovery points', ...notes] : notes
  if (!live && !clean) all.push('the last stop was not clean: the next start recovers')
  if (findings.length + all.length === 0) return ''
  return `${directory}\n${findingLines(findings)}${all.map((note) => `  note: ${note}\n`).join('')}`
}

/** Of a log: a line, and one for each damage and note. */
export function reportLines(report: LogReport, live: boolean, json: boolean): string {
  if (json) return jsonLine(report)
  const { directory, topic, partition, segments, entries, bytes, logStartOffset, logEndOffset, damages, notes } = report
  const name = topic === null ? directory : `${topic}/${partition}`
  const size = `${segments} ${segments === 1 ? 'segment' : 'segments'}, ${entries} entries, ${bytes} bytes`
  const offsets = `${logStartOffset} to ${logEndOffset}${live ? ' (recovery point)' : ''}`
  const verdict = damages.length === 0 ? 'sound' : 'DAMAGED'
  const lines = `${name}: ${size}, offsets ${offsets}: ${verdict}\n`
  return `${lines}${findingLines(damages)}${notes.map((note) => `  note: ${note}\n`).join('')}`
}

/** The last line. */
export function summaryLine(reports: readonly LogReport[], damages: number, json: boolean): string {
  const sum = (field: 'segments' | 'entries' | 'records' | 'bytes'): number =>
    reports.reduce((total, report) => total + report[field], 0)
  const total = { segments: sum('segments'), entries: sum('entries'), records: sum('records'), bytes: sum('bytes') }
  if (json) return jsonLine({ logs: reports.length, ...total, damageCount: damages })
  if (reports.length === 1) return ''
  const { segments, entries, bytes } = total
  const verdict = damages === 0 ? 'sound' : `${damages} ${damages === 1 ? 'damage' : 'damages'}`
  return `${reports.length} logs, ${segments} segments, ${entries} entries, ${bytes} bytes: ${verdict}\n`
}

function findingLines(findings: readonly Finding[]): string {
  return findings.map(({ file, what }) => `  ${file}: ${what}\n`).join('')
}
