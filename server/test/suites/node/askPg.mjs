// What the two lists of cases of node-postgres share.
import { known, load, tell } from './check.mjs'

export const pg = load('pg')

export const withClient = async (work, more = {}) => {
  const client = new pg.Client({ ...known, ...more })
  // A connection that the service ends is told here, too.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
export const withPool = async (work, more = {}) => {
  const pool = new pg.Pool({ ...known, ...more })
  pool.on('error', () => undefined)
  try {
    return await work(pool)
  } finally {
    await pool.end()
  }
}
export const of = (name, work, wanted, more) => tell(name, () => withClient(work, more), wanted)
export const ofPool = (name, work, wanted, more) => tell(name, () => withPool(work, more), wanted)
export const value = async (client, ...asked) => Object.values((await client.query(...asked)).rows[0])[0]
export const one = (client) => value(client, 'SELECT 1 AS one')
