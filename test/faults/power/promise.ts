/** What the broker promises, by what was asked of it: README.md and docs/durability.md say the same in words. */
import type { EndPlan } from './plan.js'

export type FsyncPolicy = 'acks' | 'always' | 'never'
export type Acks = 1 | 'all'

/** What was asked of the broker, as it is told in docs/durability.md. */
export function modeOf(fsync: FsyncPolicy, acks: Acks): string {
  if (fsync !== 'acks') return `--fsync ${fsync}`
  return acks === 'all' ? 'acks=all' : 'acks=1'
}

/** What comes over the broker. */
export type Fault = 'power' | 'kill'

/** The same behind the end of a life of that kind. */
export function faultOf(fault: Fault, { kind }: EndPlan): string {
  const text = fault === 'power' ? 'power loss on ext4' : 'kill -9'
  if (kind !== 'stopped') return text
  return fault === 'power' ? 'power loss behind a clean stop' : 'a clean stop'
}

/** Whether what was acknowledged has to be there. */
export function isPromised(fault: Fault, { kind }: EndPlan, fsync: FsyncPolicy, acks: Acks): boolean {
  if (fault === 'kill') return true
  // Without syncs not even the topics may be there, and the broker may not start.
  if (fsync === 'never') return false
  return kind === 'stopped' || fsync === 'always' || acks === 'all'
}
