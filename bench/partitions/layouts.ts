/** How partitions are laid out over topics. */
export interface Layout {
  readonly topics: number
  /** Of each topic. */
  readonly partitions: number
}

/** Topics are `t-0`, `t-1` and so on. */
export const TOPIC_PREFIX = 't'

export const MANY: Layout = { topics: 1, partitions: 7200 }
export const FEW: Layout = { topics: 1, partitions: 8 }

export const LAYOUTS: readonly Layout[] = [
  { topics: 1, partitions: 1 },
  FEW,
  { topics: 1, partitions: 64 },
  { topics: 1, partitions: 512 },
  { topics: 1, partitions: 4096 },
  MANY,
  { topics: 64, partitions: 8 },
  { topics: 256, partitions: 8 },
]

export function nameOf({ topics, partitions }: Layout): string {
  return topics === 1 ? `${partitions}` : `${topics} topics of ${partitions}`
}

export function topicsOf({ topics }: Layout): string[] {
  return Array.from({ length: topics }, (_, topic) => `${TOPIC_PREFIX}-${topic}`)
}
