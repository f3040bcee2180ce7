import { openDatabase } from '../service/database.js'
import { isPostgres } from '../service/settings.js'

/**
 * Where a system's processes keep what they keep: empty files of SQLite in its folder or, where DATABASE_URL names a
 * PostgreSQL, a schema of its own there.
 *
 * @param {string} folder
 * @param {string} name
 * @returns {Promise<{ DATABASE_URL: string, STATISTICS_URL: string }>}
 */
export async function freshDatabases(folder, name) {
  const server = process.env.DATABASE_URL
  if (server === undefined || !isPostgres(server)) {
    return { DATABASE_URL: `${folder}/ticketing.db`, STATISTICS_URL: `${folder}/statistics.db` }
  }
  const schema = `ticketing_${name.replaceAll('-', '_')}`
  const database = openDatabase(server)
  await database.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  await database.query(`CREATE SCHEMA ${schema}`)
  await database.close()
  const url = new URL(server)
  url.searchParams.set('options', `-c search_path=${schema}`)
  return { DATABASE_URL: url.href, STATISTICS_URL: url.href }
}
