/**
 * What is asked of each thing, by its name, in the order in which they are named first. A request that names one thing
 * over and over, a few bytes each time, is told of it once: else a response could be any number of times as large.
 */
export function grouped<T>(asked: readonly T[], nameOf: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const each of asked) {
    const name = nameOf(each)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [each])
    else group.push(each)
  }
  return groups
}

/** The first of those with the same name. */
export function distinct<T>(asked: readonly T[], nameOf: (each: T) => string): T[] {
  const seen = new Set<string>()
  return asked.filter((each) => seen.size !== seen.add(nameOf(each)).size)
}

/** What stands more than once in a list. */
export function repeated<T>(items: readonly T[]): Set<T> {
  const seen = new Set<T>()
  return new Set(items.filter((item) => seen.size === seen.add(item).size))
}
