// What the two lists of cases of postgres.js share.
import { codeOf, known, load, tell } from './check.mjs'

export const postgres = load('postgres')

export const withSql = async (work, more = {}) => {
  const sql = postgres({ ...known, max: 2, onnotice: () => undefined, ...more })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
export const of = (name, work, wanted, more) => tell(name, () => withSql(work, more), wanted)
export const numbers = (sql, count) => sql`SELECT n::int4 FROM generate_series(1, ${count}::int4) g(n)`
export const one = async (sql) => (await sql`SELECT 1 AS one`)[0].one
/** A statement whose parameter has a type by a cast, which is text of the statement. */
export const castOf = (sql, type, given) => sql`SELECT ${given}::${sql.unsafe(type)} AS v`
export const first = async (query) => Object.values((await query)[0])[0]
/** What a database gives as an error's code, and the driver as its own. */
export const codes = (...queries) => Promise.all(queries.map((query) => codeOf(() => query)))
