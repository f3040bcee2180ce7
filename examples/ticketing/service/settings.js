import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const data = fileURLToPath(new URL('../data/', import.meta.url))
mkdirSync(data, { recursive: true })

const database = process.env.DATABASE_URL ?? `${data}ticketing.db`

/** What every process of the example is told, by its environment. */
export const settings = {
  brokers: (process.env.BROKERS ?? '127.0.0.1:9092').split(','),
  /** A file of SQLite, or a URL of PostgreSQL. */
  database,
  /** A file of its own where the database is one: who counts must not keep the worker from writing. */
  statistics: process.env.STATISTICS_URL ?? (isPostgres(database) ? database : `${data}statistics.db`),
  /** Of the HTTP server; 0: any that is free. */
  port: Number(process.env.PORT ?? 0),
  /** A booking that the broker has not acknowledged by then is answered with 503. */
  answerWithinMs: Number(process.env.ANSWER_WITHIN_MS ?? 2_000),
  /** For so long the seat is kept for a customer who was answered 503. */
  doubtMs: Number(process.env.DOUBT_MS ?? 10_000),
}

/** @param {string} url */
export function isPostgres(url) {
  return /^postgres(ql)?:/.test(url)
}
