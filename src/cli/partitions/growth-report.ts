import { expectedMovedShare, PARTITIONERS } from '../../topic/partitioner.js'
import type { Growth, MovedKeys } from './moved-keys.js'

/** `74.6 %` */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

/** The share of keys that move: of keys as they come, and of those that were counted. */
export function shareLines({ from, to }: Growth, { keys, source, moved }: MovedKeys): string {
  const counted = PARTITIONERS.map((name) => {
    const count = `${moved[name]} of ${keys} keys, ${source}`
    return `  ${name.padEnd(9)}  ${percent(moved[name] / keys).padStart(7)}  (${count})\n`
  })
  return `  expected   ${percent(expectedMovedShare(from, to)).padStart(7)}  (of keys that hash evenly)\n${counted.join('')}`
}

/** The same for a program. */
export function shareObject({ from, to }: Growth, { keys, source, moved }: MovedKeys): object {
  const counted = PARTITIONERS.map((name) => [name, { moved: moved[name], share: moved[name] / keys }])
  const expectedShare = expectedMovedShare(from, to)
  return { from, to, expectedShare, keys, source, partitioners: Object.fromEntries(counted) }
}

/** What a growth does to the order of records. */
export const ORDER_ADVICE = `\
A key that moves has its old records in one partition and its new ones in another. Within each partition the order
stays; between the two there is none, so a consumer can meet a new record of such a key before an old one. Where that
matters, stop the producers, let every group read to the end, add the partitions, and start the producers again.
Under cleanup.policy=compact the old value of such a key stays in its old partition: nothing newer comes there.
Producers and consumers notice the new partitions when they next ask for metadata (metadata.max.age.ms); until then
producers place keys as before, and a group that starts at latest skips what is written there meanwhile.
`
