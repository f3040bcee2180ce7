import { DAMAGE, type NativeLogCheck } from '../../native/native.js'
import { type IndexFiles, isMissing } from '../log-check/check-segment.js'
import { countWrong, endsInPart } from '../log-check/index-entries.js'
import { type Finding, offsetsText, unreadable } from './finding.js'

const DAMAGE_KINDS = [
  { kind: 'crc', text: 'an entry with a wrong CRC' },
  { kind: 'torn', text: 'an entry that is torn' },
  { kind: 'no entry', text: 'no entry begins there' },
  { kind: 'offset', text: 'an entry that has no business there, by its offset' },
  { kind: 'gap', text: 'offsets are missing' },
] as const

/** What the pass over a log found in it. */
export function logFindings(file: string, check: NativeLogCheck): Finding[] {
  const findings: Finding[] = []
  for (let at = 0; at < check.damages.length; at += DAMAGE.fields) {
    const field = (index: number): number => check.damages[at + index] as number
    const damage = DAMAGE_KINDS[field(DAMAGE.kind)] ?? DAMAGE_KINDS[2]
    const [position, length] = [field(DAMAGE.position), field(DAMAGE.length)]
    const [firstOffset, nextOffset] = [field(DAMAGE.firstOffset), field(DAMAGE.nextOffset)]
    const place = `at position ${position}: ${damage.text}`
    const bytes = length > 0 ? `, ${length} bytes` : ''
    const lost = nextOffset > firstOffset ? `, ${offsetsText(firstOffset, nextOffset)} lost` : ''
    const what = `${place}${bytes}${lost}`
    findings.push({ file, kind: damage.kind, what, position, length, firstOffset, nextOffset })
  }
  const more = check.damageCount - findings.length
  if (more > 0) findings.push({ file, kind: 'no entry', what: `and ${more} more damages` })
  return findings
}

/** What is wrong with its indexes: they cost time where they are, not records. */
export function indexFindings({ index, timeIndex }: IndexFiles, check: NativeLogCheck): Finding[] {
  const findings: Finding[] = []
  const wrong = (kind: 'index' | 'timeindex', file: string, count: number): void => {
    if (count > 0) findings.push({ file, kind, what: `${count} wrong ${count === 1 ? 'entry' : 'entries'}` })
  }
  if (isMissing(index)) findings.push({ file: index.path, kind: 'index', what: 'is missing' })
  else if ('error' in index) findings.push(unreadable(index.path, index.error))
  else {
    wrong('index', index.path, countWrong(check.index) + (endsInPart(index.bytes, 'index') ? 1 : 0))
    const empty = check.entries > 0 && check.index.length === 0
    if (empty) findings.push({ file: index.path, kind: 'index', what: 'is empty, and the log is not' })
  }
  // A time index that is missing is made when it is first asked for.
  if (!isMissing(timeIndex)) {
    if ('error' in timeIndex) findings.push(unreadable(timeIndex.path, timeIndex.error))
    else {
      const torn = endsInPart(timeIndex.bytes, 'timeindex') ? 1 : 0
      wrong('timeindex', timeIndex.path, countWrong(check.timeIndex) + torn)
    }
  }
  return findings
}
