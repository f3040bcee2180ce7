/** A range of versions, both ends included. */
export interface VersionRange {
  readonly from: number
  readonly to: number
}

/** Reads `n`, `n-m` or `n+`, where `newest` is what `+` means; cuts what lies beyond `within`. Null where nothing is left. */
export function parseVersions(text: string, within: VersionRange): VersionRange | null {
  const match = /^(\d+)(?:(\+)|-(\d+))?$/.exec(text)
  if (match === null) throw new Error(`"${text}" says no versions: n, n-m or n+`)
  const first = Number(match[1])
  const last = match[2] === '+' ? Math.max(first, within.to) : Number(match[3] ?? first)
  if (last < first) throw new Error(`"${text}" ends before it begins`)
  const range = { from: Math.max(first, within.from), to: Math.min(last, within.to) }
  return range.from <= range.to ? range : null
}

export function includes(range: VersionRange | null, version: number): boolean {
  return range !== null && version >= range.from && version <= range.to
}

/** What is said of each of the versions, equal neighbours taken together, oldest first. */
export function runsOf<T>(range: VersionRange, say: (version: number) => T): { from: number; says: T }[] {
  const runs: { from: number; says: T }[] = []
  for (let version = range.from; version <= range.to; version++) {
    const says = say(version)
    if (runs.length === 0 || runs[runs.length - 1]?.says !== says) runs.push({ from: version, says })
  }
  return runs
}

/** An expression that chooses by version. */
export function chosenExpression(range: VersionRange, say: (version: number) => string): string {
  const [oldest, ...newer] = runsOf(range, say)
  return newer.reduce((text, run) => `version >= ${run.from} ? ${run.says} : ${text}`, oldest?.says ?? '')
}

/** Statements that are chosen by version; '' says none. */
export function chosenStatement(range: VersionRange, say: (version: number) => string): string {
  const runs = runsOf(range, say)
  const newest = runs.pop()
  if (newest === undefined) return ''
  if (runs.length === 0) return newest.says
  const older = chosenStatement({ from: range.from, to: newest.from - 1 }, say)
  if (newest.says === '') return older === '' ? '' : `if (version < ${newest.from}) { ${older} }`
  if (older === '') return `if (version >= ${newest.from}) { ${newest.says} }`
  return `if (version >= ${newest.from}) { ${newest.says} } else ${older.startsWith('if (') ? older : `{ ${older} }`}`
}
