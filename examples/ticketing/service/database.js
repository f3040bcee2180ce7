import Database from 'better-sqlite3'
import pg from 'pg'
import { isPostgres } from './settings.js'

/**
 * The little that both databases share: statements with `?` for what is put in, transactions, and how a column is
 * declared that counts by itself.
 *
 * @typedef {(sql: string, ...values: (string | number | null)[]) => Promise<Record<string, any>[]>} Query
 *
 * @typedef {object} OpenDatabase
 * @property {string} counter
 * @property {Query} query a statement, and a transaction of its own
 * @property {<T>(run: (query: Query) => Promise<T>) => Promise<T>} transaction what `run` does, or nothing of it
 * @property {() => Promise<void>} close
 */

/**
 * @param {string} url a file of SQLite, or a URL of PostgreSQL
 * @returns {OpenDatabase}
 */
export function openDatabase(url) {
  return isPostgres(url) ? openPostgres(url) : openSqlite(url)
}

/** @returns {OpenDatabase} */
function openSqlite(path) {
  // As SQLite comes: a commit returns when it is on the disk, behind three syncs. Several processes write to the file:
  // who finds it locked waits.
  const db = new Database(path, { timeout: 20_000 })
  const statements = new Map()
  const query = async (sql, ...values) => {
    let statement = statements.get(sql)
    if (statement === undefined) {
      statement = db.prepare(sql)
      statements.set(sql, statement)
    }
    if (statement.reader) return statement.all(...values)
    statement.run(...values)
    return []
  }
  // There is one connection, so one transaction at a time.
  let last = Promise.resolve()
  const alone = (run) => {
    const done = last.then(run)
    last = done.then(
      () => {},
      () => {},
    )
    return done
  }
  return {
    counter: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    query: (sql, ...values) => alone(() => query(sql, ...values)),
    transaction: (run) =>
      alone(async () => {
        db.exec('BEGIN IMMEDIATE')
        try {
          const result = await run(query)
          db.exec('COMMIT')
          return result
        } catch (error) {
          if (db.inTransaction) db.exec('ROLLBACK')
          throw error
        }
      }),
    close: () => alone(() => db.close()),
  }
}

/** @returns {OpenDatabase} */
function openPostgres(url) {
  // The numbers here are offsets, times and counts: all of them safe integers.
  const types = {
    getTypeParser: (oid, format) => (oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)),
  }
  const pool = new pg.Pool({ connectionString: url, max: 4, types })
  // An idle connection that breaks is replaced when one is needed.
  pool.on('error', (error) => console.error(`a connection to the database broke: ${error.message}`))
  const queryOf =
    (client) =>
    async (sql, ...values) => {
      let number = 0
      const { rows } = await client.query(
        sql.replace(/\?/g, () => `$${++number}`),
        values,
      )
      return rows
    }
  return {
    counter: 'BIGSERIAL PRIMARY KEY',
    query: queryOf(pool),
    transaction: async (run) => {
      const client = await pool.connect()
      let broken
      try {
        await client.query('BEGIN')
        const result = await run(queryOf(client))
        await client.query('COMMIT')
        return result
      } catch (error) {
        await client.query('ROLLBACK').catch((failure) => {
          broken = failure
        })
        throw error
      } finally {
        client.release(broken)
      }
    },
    close: () => pool.end(),
  }
}
