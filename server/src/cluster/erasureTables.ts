import type { AwaitedStore, ErasureOutcome } from '../payloads/erasure.js'
import type { ServerConnection } from './ServerConnection.js'

/**
 * `erasures` has a row for each erase that a query process has come to in the log. `keys` stand for all ids of the
 * person, for a process that comes to it after the log was cleaned and so no longer finds all of them. `erased` says
 * which process has come to what, and what became of it; `outcome` is NULL until then. Neither table holds an id.
 */
export const erasureTables = `
CREATE TABLE IF NOT EXISTS waymark.erasures (
  task text PRIMARY KEY,
  key text NOT NULL,
  sequence bigint NOT NULL,
  keys text[],
  clean boolean NOT NULL DEFAULT false,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS waymark.erased (
  task text NOT NULL,
  reader text NOT NULL,
  outcome json,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (task, reader)
);`

/** Forgets erases that every process has passed. A day later nobody waits for the answer to one any more. */
export const forgetErasures = `
DELETE FROM waymark.erasures WHERE at < now() - interval '1 day'
  AND sequence <= (SELECT min(applied) FROM waymark.readers);
DELETE FROM waymark.erased WHERE at < now() - interval '1 day'
  AND task NOT IN (SELECT task FROM waymark.erasures)`

interface Reached {
  tasks: readonly string[]
  keys: readonly string[]
  /** The sequence of the last row of the erase. */
  last: number
}

/** An erase restarts the engine, which is not heard of meanwhile: for so long it counts as busy. */
const busyMinutes = 5

/** Notes that a process has come to some erases; gives the keys of all ids of each person, where these are known. */
export const noteReached = async (
  connection: ServerConnection,
  reader: string,
  { tasks, keys, last }: Reached,
): Promise<Map<string, string[]>> => {
  await connection.ask(
    `INSERT INTO waymark.erasures (task, key, sequence)
     SELECT task, key, $3::bigint FROM unnest($1::text[], $2::text[]) AS reached (task, key) ON CONFLICT DO NOTHING`,
    [tasks, keys, last],
  )
  await connection.ask(
    `INSERT INTO waymark.erased (task, reader) SELECT task, $2 FROM unnest($1::text[]) AS task ON CONFLICT DO NOTHING`,
    [tasks, reader],
  )
  const rows = await connection.ask<{ task: string; keys: string[] | null }>(
    'SELECT task, keys FROM waymark.erasures WHERE task = ANY ($1::text[])',
    [tasks],
  )
  return new Map(rows.flatMap((row) => (row.keys === null ? [] : [[row.task, row.keys]])))
}

/** Makes the keys of a person's ids known, before the log is cleaned of them. The first process to say so counts. */
export const publishKeys = (
  connection: ServerConnection,
  { task, key, last, keys }: { task: string; key: string; last: number; keys: readonly string[] },
): Promise<unknown> =>
  connection.ask(
    `INSERT INTO waymark.erasures (task, key, sequence, keys) VALUES ($1, $2, $3, $4::text[])
     ON CONFLICT (task) DO UPDATE SET keys = excluded.keys, clean = false WHERE erasures.keys IS NULL`,
    [task, key, last, keys],
  )

/** Says what became of an erase in one query process. Of a person whom it does not know, it leaves nothing to clean. */
export const report = async (
  connection: ServerConnection,
  reader: string,
  outcome: ErasureOutcome,
): Promise<void> => {
  const { task } = outcome
  await connection.ask('UPDATE waymark.erasures SET clean = true WHERE task = $1 AND keys IS NULL', [task])
  await connection.ask(
    `INSERT INTO waymark.erased (task, reader, outcome) VALUES ($1, $2, $3)
     ON CONFLICT (task, reader) DO UPDATE SET outcome = excluded.outcome`,
    [task, reader, JSON.stringify(outcome)],
  )
}

/** Rejects as long as the archive that all stores share, if there is one, may still hold one of the persons. */
export const checkLake = async (connection: ServerConnection, tasks: readonly string[]): Promise<void> => {
  const [left] = await connection.ask<{ waits: boolean }>(
    `SELECT EXISTS (SELECT FROM waymark.ducklake_data_file) AND EXISTS (
       SELECT FROM unnest($1::text[]) AS asked (task)
       WHERE NOT EXISTS (SELECT FROM waymark.lake_erased e WHERE e.task = asked.task AND removed)) AS waits`,
    [tasks],
  )
  if (left!.waits) throw new Error('files of the archive that may hold the person are not removed yet')
}

interface Progress {
  outcome: ErasureOutcome | undefined
  /** `isLive`: it was heard of a short time ago, or is busy with an erase. */
  awaited: (AwaitedStore & { name: string; isLive: boolean })[]
}

const hasErased = (task: string) =>
  `EXISTS (SELECT FROM waymark.erased e WHERE e.task = ${task} AND e.reader = r.name AND e.outcome IS NOT NULL)`

/** A reader that has not written its position for so long is not live, and no process waits for it. */
export const liveSeconds = 15

/** A time that is ahead was written while the server's clock was wrong: whoever is there writes another soon. */
export const isWithin = (time: string, seconds: number) =>
  `abs(extract(epoch FROM now() - ${time})) < ${seconds}`

/** Whether a reader was heard of a short time ago. */
export const isHeard = isWithin('seen', liveSeconds)

/** Whether a reader `r` is busy with an erase. */
export const isBusy = `EXISTS (
  SELECT FROM waymark.erased b
  WHERE b.reader = r.name AND outcome IS NULL AND ${isWithin('at', 60 * busyMinutes)}
)`

const progressSql = `
SELECT name, place AS store, to_char(seen AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS last_seen,
  ${isHeard} OR ${isBusy} AS "isLive"
FROM waymark.readers r WHERE place IS NOT NULL AND joined < $2 AND NOT ${hasErased('$1')} ORDER BY place`

/** Reads what one process says of an erase, and which others have not carried it out yet. */
export const readProgress = async (
  ask: ServerConnection['ask'],
  { task, last, reader }: { task: string; last: number; reader: string },
): Promise<Progress> => {
  // A process that has carried out the erase says so before it is no longer awaited.
  const awaited = await ask<Progress['awaited'][number]>(progressSql, [task, last])
  const [own] = await ask<{ outcome: ErasureOutcome }>(
    'SELECT outcome FROM waymark.erased WHERE task = $1 AND reader = $2 AND outcome IS NOT NULL',
    [task, reader],
  )
  return { awaited, outcome: own?.outcome }
}

/** Another erase of the same person that some process has still to end; undefined when there is none. */
export const findUnfinished = async (
  ask: ServerConnection['ask'],
  { key, task }: { key: string; task: string },
): Promise<{ task: string; last: number } | undefined> => {
  const [found] = await ask<{ task: string; last: number }>(
    `SELECT task, sequence::float8 AS last FROM waymark.erasures WHERE key = $1 AND task <> $2
       AND EXISTS (SELECT FROM waymark.readers r
         WHERE place IS NOT NULL AND joined < sequence AND NOT ${hasErased('erasures.task')})
     ORDER BY keys IS NULL, sequence DESC LIMIT 1`,
    [key, task],
  )
  return found
}
