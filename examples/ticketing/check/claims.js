import { sectionOf } from '../service/events.js'

/**
 * Every claim, with what contradicts it.
 *
 * @param {Awaited<ReturnType<typeof import('./evidence.js').gather>>} evidence
 * @returns {[claim: string, contradictions: string[]][]}
 */
export function claims(evidence) {
  const history = new History(evidence.log)
  return [
    ['seats were sold: what is claimed is claimed of something', sold(evidence)],
    ['none lost: what the API accepted is in the database, for that seat and customer', lost(evidence)],
    ['none twice: a row for each reservation in the log, a seat with one customer at a time', twice(evidence, history)],
    [
      "order: a seat's reservations were inserted as they were accepted, and as the log has them",
      order(evidence, history),
    ],
    ['who was told no, or was told 503 and left, has no seat', withoutSeat(evidence, history)],
    ['cancelled in the database is cancelled in the log, and the outbox is empty', cancellations(evidence, history)],
    ['the statistics count each reservation and each cancellation once', statistics(evidence, history)],
    ['both groups committed up to the end of the log', ends(evidence)],
    ['an API that was killed has the same locks when it is back', locks(evidence)],
  ]
}

/** What the log says, without the copies that were sent again: of each reservation, when it was made and cancelled. */
class History {
  /** @type {Map<string, { seat: string, created?: { partition: number, offset: number }, cancelled?: object }>} */
  reservations = new Map()
  /** By seat, what happened to it. @type {Map<string, { type: string, id: string }[]>} */
  seats = new Map()

  constructor(log) {
    for (const [partition, records] of log.entries()) {
      for (const { offset, event } of records) this.#add(event, { partition, offset })
    }
  }

  #add({ type, id, seat }, position) {
    const reservation = this.reservations.get(id) ?? { seat }
    this.reservations.set(id, reservation)
    // A creation counts once, and not behind the cancellation; a cancellation counts once.
    if (reservation.cancelled !== undefined) return
    if (type === 'ReservationCancelled') reservation.cancelled = position
    else if (reservation.created === undefined) reservation.created = position
    else return
    // Cancelled to be sure, and was never there.
    if (reservation.created === undefined) return
    this.seats.set(seat, [...(this.seats.get(seat) ?? []), { type, id }])
  }
}

function sold({ crowd }) {
  return crowd.accepted.length > 0 && crowd.cancelled.size > 0 ? [] : [`${crowd.accepted.length} were accepted`]
}

function lost({ crowd, rows }) {
  const found = new Map(rows.map((row) => [row.id, row]))
  return crowd.accepted.flatMap(({ id, seat, customer }) => {
    const row = found.get(id)
    if (row === undefined) return [`${id} was accepted and is not there`]
    if (row.seat !== seat || row.customer !== customer) return [`${id} is there for ${row.seat} and ${row.customer}`]
    // Nobody cancels it but its customer.
    if (row.status === 'reserved' || crowd.cancelling.has(id)) return []
    return [`${id} was accepted and is cancelled`]
  })
}

function twice({ rows }, { reservations, seats }) {
  const inDatabase = new Set(rows.map(({ id }) => id))
  const wrong = [...reservations.keys()].filter((id) => !inDatabase.has(id)).map((id) => `${id} is in the log only`)
  if (rows.length !== reservations.size) wrong.push(`${rows.length} rows, ${reservations.size} reservations in the log`)
  for (const [seat, events] of seats) {
    let holder
    for (const { type, id } of events) {
      if (type === 'ReservationCreated' && holder !== undefined) wrong.push(`${seat} went to ${id}, ${holder} had it`)
      if (type === 'ReservationCancelled' && holder !== id) wrong.push(`${id} cancelled ${seat}, ${holder} had it`)
      holder = type === 'ReservationCreated' ? id : undefined
    }
  }
  return wrong
}

function order({ crowd, rows, log }, { reservations, seats }) {
  const wrong = []
  const accepted = new Set(crowd.accepted.map(({ id }) => id))
  const byAnswer = groupBySeat(crowd.accepted)
  const byRow = groupBySeat(rows.filter(({ id }) => accepted.has(id)))
  for (const [seat, answered] of byAnswer) {
    const ids = (reservations) => reservations.map(({ id }) => id).join(' ')
    const asAnswered = ids(answered)
    const asLogged = ids(
      (seats.get(seat) ?? []).filter(({ type, id }) => type === 'ReservationCreated' && accepted.has(id)),
    )
    const asInserted = ids(byRow.get(seat) ?? [])
    if (asAnswered !== asLogged) wrong.push(`${seat}: ${asAnswered} were accepted, the log has ${asLogged}`)
    if (asLogged !== asInserted) wrong.push(`${seat}: the log has ${asLogged}, ${asInserted} were inserted`)
  }
  // Each row is of the first copy that the log has of it.
  const latest = log.map(() => -1)
  for (const { id, log_partition: partition, log_offset: offset } of rows) {
    const first = reservations.get(id)?.created ?? reservations.get(id)?.cancelled
    if (first?.partition !== partition || first.offset !== offset) wrong.push(`${id} is not of ${partition}/${offset}`)
    if (offset <= latest[partition])
      wrong.push(`${id} at ${partition}/${offset} was inserted behind ${latest[partition]}`)
    latest[partition] = offset
  }
  return wrong
}

function groupBySeat(reservations) {
  const groups = new Map()
  for (const each of reservations) groups.set(each.seat, [...(groups.get(each.seat) ?? []), each])
  return groups
}

function withoutSeat({ crowd, rows }, { reservations }) {
  const reserved = new Set(rows.filter(({ status }) => status === 'reserved').map(({ id }) => id))
  return [
    ...[...crowd.refused].filter((id) => reservations.has(id)).map((id) => `${id} was told no and is in the log`),
    ...[...crowd.gone].filter((id) => reserved.has(id)).map((id) => `${id} left and has a seat`),
  ]
}

function cancellations({ crowd, rows, outbox }, { reservations }) {
  const cancelled = new Set(rows.filter(({ status }) => status === 'cancelled').map(({ id }) => id))
  const inLog = [...reservations].filter(([, { cancelled }]) => cancelled !== undefined).map(([id]) => id)
  return [
    ...outbox.map(({ n }) => `row ${n} of the outbox is still there`),
    ...[...crowd.cancelled].filter((id) => !cancelled.has(id)).map((id) => `${id} was cancelled and is reserved`),
    ...[...cancelled].filter((id) => !inLog.includes(id)).map((id) => `${id} is cancelled in the database only`),
    ...inLog.filter((id) => !cancelled.has(id)).map((id) => `${id} is cancelled in the log only`),
  ]
}

function statistics({ sections }, { seats }) {
  const expected = new Map()
  for (const [seat, events] of seats) {
    const sums = expected.get(sectionOf(seat)) ?? { reservations: 0, cancellations: 0 }
    for (const { type } of events) sums[type === 'ReservationCreated' ? 'reservations' : 'cancellations']++
    expected.set(sectionOf(seat), sums)
  }
  const wrong = sections.filter(({ section, reservations, cancellations }) => {
    const sums = expected.get(section)
    return sums?.reservations !== reservations || sums.cancellations !== cancellations
  })
  const count = sections.length === expected.size ? [] : [`${sections.length} sections, not ${expected.size}`]
  return [...count, ...wrong.map((row) => `${JSON.stringify(row)}: ${JSON.stringify(expected.get(row.section))}`)]
}

function ends({ log, committed }) {
  return Object.entries(committed).flatMap(([group, offsets]) =>
    log.flatMap((records, partition) =>
      (offsets[partition] ?? 0) === records.length
        ? []
        : [`${group} committed ${offsets[partition]} of partition ${partition}, which ends at ${records.length}`],
    ),
  )
}

function locks({ rows, holders }) {
  const reserved = new Map(rows.filter(({ status }) => status === 'reserved').map(({ seat, id }) => [seat, id]))
  return [...holders].flatMap(([seat, id]) => {
    const inDatabase = reserved.get(seat) ?? null
    return id === inDatabase ? [] : [`${seat} is locked for ${id}, the database has ${inDatabase}`]
  })
}
