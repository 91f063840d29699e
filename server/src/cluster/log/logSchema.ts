import { randomBytes } from 'node:crypto'
import { lakeTables } from '../lake/lakeTables.js'
import { OperatorError } from '../../OperatorError.js'
import type { LogIdentity } from '../../wal/LogStore.js'
import { erasureTables } from './erasureTables.js'
import type { ServerConnection } from './ServerConnection.js'
import type { SaltDays, SaltPlace } from '../../analytics/DaySalt.js'

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

/** The keys of advisory locks. All users of a database share one set of keys. */
export const lockKeys = { create: 0x7761796d, prune: 0x7761796e, archive: 0x7761796f }
const version = 4

/** PostgreSQL keeps samples of short values for its planner, in a table that no erase of a person would reach. */
export const withoutSamples = (table: string): string =>
  `ALTER TABLE waymark.${table} ALTER COLUMN body SET STATISTICS 0;`

/**
 * Each group of requests changes the one row of `head`, and its lock is held until the standbys have the
 * group. So groups become visible in the order of their numbers, without a gap. The low fillfactor leaves room
 * on the row's page, so that the changed row stays there. Bodies are JSON with many repetitions, and lz4 leaves
 * less to write, send and sync. A server without lz4 (before 14, or built without it) stores bodies uncompressed,
 * because its own method costs more time than it saves.
 */
const create = (secret: string) => `
BEGIN;
SELECT pg_advisory_xact_lock(${lockKeys.create});
CREATE SCHEMA IF NOT EXISTS waymark;
CREATE TABLE IF NOT EXISTS waymark.head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version int NOT NULL,
  id uuid NOT NULL,
  secret text NOT NULL,
  last bigint NOT NULL
) WITH (fillfactor = 10);
CREATE TABLE IF NOT EXISTS waymark.log (
  last bigint PRIMARY KEY,
  rows int NOT NULL,
  body bytea NOT NULL,
  stamped timestamptz NOT NULL DEFAULT now()
);
${withoutSamples('log')}
ALTER TABLE waymark.log ALTER COLUMN body SET STORAGE EXTERNAL;
DO $$ BEGIN
  EXECUTE 'ALTER TABLE waymark.log ALTER COLUMN body SET COMPRESSION lz4';
  ALTER TABLE waymark.log ALTER COLUMN body SET STORAGE EXTENDED;
EXCEPTION WHEN syntax_error OR feature_not_supported THEN NULL;
END $$;
CREATE TABLE IF NOT EXISTS waymark.readers (
  name text PRIMARY KEY,
  applied bigint NOT NULL,
  seen timestamptz NOT NULL DEFAULT now(),
  joined bigint NOT NULL DEFAULT 0,
  place text
);
CREATE TABLE IF NOT EXISTS waymark.set_aside (
  request bigint PRIMARY KEY,
  rows int NOT NULL,
  reason text NOT NULL
);${erasureTables}${saltTable}${lakeTables}
INSERT INTO waymark.head (version, id, secret, last)
VALUES (${version}, gen_random_uuid(), '${secret}', 0) ON CONFLICT DO NOTHING;
COMMIT`

/** Reads which log a database holds. A missing log is created, unless a certain one is expected. */
export const identifyLog = async (
  connection: ServerConnection,
  expected: string | undefined,
): Promise<LogIdentity> => {
  const [there] = await connection.ask<{ head: string | null }>(
    "SELECT to_regclass('waymark.head')::text AS head",
  )
  if (there?.head === null && expected === undefined) {
    await connection.ask(create(randomBytes(32).toString('base64')))
  }
  const [found] = await connection.ask<LogIdentity & { version: number }>(
    'SELECT version, id::text, secret FROM waymark.head',
  )
  if (found === undefined) throw new OperatorError('the table waymark.head is empty')
  if (found.version !== version) {
    throw new OperatorError(
      `the log was made by another version of waymark-server (${found.version}, this one knows ${version})`,
    )
  }
  if (expected !== undefined && found.id !== expected) {
    throw new OperatorError(`it has another log (${found.id}) than the one that is followed (${expected})`)
  }
  return { id: found.id, secret: found.secret }
}
