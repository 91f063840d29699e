import { setTimeout as delay } from 'node:timers/promises'
import { cleanGroup, type ErasedPerson } from './cleanGroup.js'
import { lockKeys, withoutSamples } from './logSchema.js'
import { readTuples } from './readTuples.js'
import type { LogAddress } from './readLogUrl.js'
import { ServerConnection } from './ServerConnection.js'

const withinMs = 600_000
const pieceBytes = 2 ** 24
const againMs = 100

/** The groups of the next piece: at least one. */
const pieceSql = (after: number) => `
SELECT last::float8, body FROM (
  SELECT last, body, sum(length(body)) OVER (ORDER BY last ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM (SELECT last, body FROM waymark.log WHERE last > ${after} ORDER BY last LIMIT 1000) AS next
) AS counted WHERE coalesce(before, 0) < ${pieceBytes} ORDER BY last`

const beginSql = `
SET synchronous_commit = off;
DROP TABLE IF EXISTS waymark.log_new;
CREATE TABLE waymark.log_new (LIKE waymark.log INCLUDING ALL);
${withoutSamples('log_new')}`

/** Copies the groups of one piece, with other bodies for those that hold something of the persons; gives the last one. */
const copyPiece = async (
  connection: ServerConnection,
  after: number,
  persons: readonly ErasedPerson[],
): Promise<number | undefined> => {
  const groups = readTuples(await connection.copyOut(pieceSql(after), withinMs)).map(([last, body]) => ({
    last: last!.readDoubleBE(),
    body: body!,
  }))
  const end = groups.at(-1)?.last
  if (end === undefined) return undefined
  const changed: { last: number; body: Buffer }[] = []
  for (const { last, body } of groups) {
    const cleaned = cleanGroup(body, last, persons)
    if (cleaned !== undefined) changed.push({ last, body: cleaned })
  }
  await connection.ask(
    `INSERT INTO waymark.log_new SELECT * FROM waymark.log
     WHERE last > $1 AND last <= $2 AND last <> ALL ($3::bigint[])`,
    [after, end, changed.map(({ last }) => last)],
    withinMs,
  )
  for (const { last, body } of changed) {
    await connection.ask(
      `INSERT INTO waymark.log_new (last, rows, body, stamped)
       SELECT last, rows, $2::bytea, stamped FROM waymark.log WHERE last = $1`,
      [last, body],
    )
  }
  return end
}

/** Puts the new table in the place of the old one. What was appended after `copied` is copied while nobody appends. */
const swap = async (
  connection: ServerConnection,
  copied: number,
  tasks: readonly string[],
): Promise<boolean> => {
  try {
    await connection.ask(
      `BEGIN; SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = '500ms';
       LOCK TABLE waymark.log IN ACCESS EXCLUSIVE MODE`,
    )
    await connection.ask('INSERT INTO waymark.log_new SELECT * FROM waymark.log WHERE last > $1', [copied])
    await connection.ask('UPDATE waymark.erasures SET clean = true WHERE task = ANY ($1::text[])', [tasks])
    await connection.ask(
      'DROP TABLE waymark.log; ALTER TABLE waymark.log_new RENAME TO log; COMMIT',
      [],
      withinMs,
    )
    return true
  } catch (error) {
    if (connection.closed !== undefined) throw error
    await connection.ask('ROLLBACK')
    // Somebody reads the log for long. Who waits for the lock keeps all others waiting, so it is given up for a while.
    if ((error as { code?: string }).code === '55P03') return false
    throw error
  }
}

/** The reasons why rows could not be stored may quote them. That there were such rows stays. */
const cleanReasons = async (connection: ServerConnection, ids: readonly string[]): Promise<void> => {
  const changed = await connection.ask(
    `UPDATE waymark.set_aside SET reason = 'It named a person who was erased.'
     WHERE EXISTS (SELECT FROM unnest($1::text[]) AS id WHERE position(id IN reason) > 0) RETURNING request`,
    [ids],
  )
  if (changed.length > 0) await connection.ask('VACUUM FULL waymark.set_aside', [], withinMs)
}

interface Cleaned {
  persons: readonly ErasedPerson[]
  /** The last row that may hold something of them. */
  through: number
}

const clean = async (connection: ServerConnection, { persons, through }: Cleaned): Promise<void> => {
  const tasks = persons.map(({ task }) => task)
  const [state] = await connection.ask<{ done: boolean; waits: boolean }>(
    `SELECT bool_and(clean) AS done, EXISTS (
       SELECT FROM waymark.erasures WHERE NOT clean AND sequence < $2 AND task <> ALL ($1::text[])) AS waits
     FROM waymark.erasures WHERE task = ANY ($1::text[])`,
    [tasks, through],
  )
  if (state!.done) return
  // A process that comes to the erase before this one must find the ids of that one in what it reads before it.
  if (state!.waits) throw new Error('an erase before this one is not finished')
  await cleanReasons(
    connection,
    persons.flatMap(({ ids }) => ids),
  )
  await connection.ask(beginSql)
  let copied = 0
  for (;;) {
    const end = await copyPiece(connection, copied, persons)
    if (end !== undefined) {
      copied = end
      continue
    }
    if (await swap(connection, copied, tasks)) return
    await delay(againMs)
  }
}

/**
 * Takes persons out of the log. It is copied to a new table, because PostgreSQL leaves the bytes of deleted and
 * changed rows in a table's file. Readers see the old log or the new one, and nobody who appends waits but for the
 * newest groups to be copied. The lock keeps others from cleaning, and from pruning: rows that are deleted during the
 * copy would leave a gap.
 */
export const cleanLog = async (address: LogAddress, cleaned: Cleaned): Promise<void> => {
  const connection = await ServerConnection.open(address, { applicationName: 'waymark clean' })
  try {
    const [lock] = await connection.ask<{ held: boolean }>(
      `SELECT pg_try_advisory_lock(${lockKeys.prune}) AS held`,
    )
    if (lock?.held !== true) throw new Error('another process cleans or prunes the log')
    await clean(connection, cleaned)
  } finally {
    connection.close('it is done')
  }
}
