import type { SaltDays, SaltPlace } from '../anonymous/DaySalt.js'
import type { ServerConnection } from './ServerConnection.js'

/**
 * What an unlogged table holds is in no write-ahead log of PostgreSQL, so it reaches no standby, no archive of that
 * log and no base backup. After a crash or a failover it is empty, and the day gets another salt.
 */
export const saltTable = `
CREATE UNLOGGED TABLE IF NOT EXISTS waymark.day_salt (day date NOT NULL, salt bytea NOT NULL);`

/** `TRUNCATE` gives the table a new file and removes the old one; `DELETE` would leave the bytes in place. */
const inPlaceOf = (condition: string, then = '') => `
BEGIN;
LOCK TABLE waymark.day_salt;
DO $$ BEGIN
  IF ${condition} THEN
    TRUNCATE waymark.day_salt;${then}
  END IF;
END $$;
COMMIT`

/** The server makes the salt, because it may log the text of a statement. */
const madeSalt = 'uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())'

const isOfOne = ({ today, tomorrow }: SaltDays) => `day IN ('${today}', '${tomorrow}')`

/** Keeps the salt in the database of the log, where every process that accepts finds it. */
export const saltInLog = (connection: () => ServerConnection): SaltPlace => ({
  async take(days) {
    const server = connection()
    const isMissing = `NOT EXISTS (SELECT FROM waymark.day_salt WHERE ${isOfOne(days)})`
    const insert = `INSERT INTO waymark.day_salt VALUES ('${days.today}', ${madeSalt});`
    await server.ask(inPlaceOf(isMissing, insert))
    const [kept] = await server.ask<{ salt: Buffer }>('SELECT salt FROM waymark.day_salt')
    if (kept === undefined) throw new Error('the table waymark.day_salt was emptied')
    return kept.salt
  },

  async forgetOthers(days) {
    const others = `FROM waymark.day_salt WHERE NOT (${isOfOne(days)})`
    const server = connection()
    const [found] = await server.ask<{ day: string }>(`SELECT day::text AS day ${others}`)
    if (found !== undefined) await server.ask(inPlaceOf(`EXISTS (SELECT ${others})`))
    return found?.day
  },
})
