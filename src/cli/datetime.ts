const DATETIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)?$/
const MILLISECONDS = /^\d{1,16}$/
const MINUTE_MS = 60_000

/**
 * Reads a time: ISO 8601, to the day, the minute, the second or a fraction of it, in UTC where no zone is said, as Kafka's
 * tools take it; or milliseconds since 1970. Null for what is none.
 */
export function parseDatetime(text: string): number | null {
  if (MILLISECONDS.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : null
  const match = DATETIME.exec(text)
  if (match === null) return null
  const field = (index: number): number => Number(match[index] ?? 0)
  const [year, month, day] = [field(1), field(2), field(3)]
  const [hour, minute, second] = [field(4), field(5), field(6)]
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  // There is no 30th of February: a date that is none is another one here.
  if (month < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  if (hour > 23 || minute > 59 || second > 59 || field(9) > 23 || field(10) > 59) return null
  // A part of a millisecond begins a new one: what is older must not count.
  const milliseconds = Math.ceil(Number((match[7] ?? '').padEnd(9, '0')) / 1e6)
  const zone = (match[8] === '-' ? -1 : 1) * (field(9) * 60 + field(10))
  return date.setUTCHours(hour, minute, second) + milliseconds - zone * MINUTE_MS
}
