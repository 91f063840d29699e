import { createHmac } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Erased, PersonId } from '../payloads/erasure.js'

const columns = [
  ['done_at', 'When it was done.'],
  ['duty', 'export, erase or retention.'],
  ['asked_by', 'The user who asked for it; NULL for retention.'],
  ['environment', 'The environment that it was about.'],
  ['person', 'A salted hash of the id that was asked for; the answer to the request had it too.'],
  ['day', 'For retention: the day on which the events were received (UTC).'],
  ['events', 'How many events it was.'],
  ['traits', 'How many rows of traits.'],
  ['identities', 'How many ids.'],
  ['rejected', 'How many records that had been set aside.'],
  ['unlinked', 'For erase: how many events of others lost an anonymous id of the person.'],
] as const

const view = 'analytics.main.privacy_log'

/** The table and view of what was done for privacy. An erasure changes no older row of it. */
export const dutiesSchema = `
CREATE TABLE IF NOT EXISTS analytics.raw.duties (
  task VARCHAR, done_at TIMESTAMPTZ, duty VARCHAR, asked_by VARCHAR, environment VARCHAR, person VARCHAR, day DATE,
  events BIGINT, traits BIGINT, identities BIGINT, rejected BIGINT, unlinked BIGINT
);
CREATE OR REPLACE VIEW ${view} AS
  SELECT ${columns.map(([name]) => name).join(', ')} FROM analytics.raw.duties;
COMMENT ON VIEW ${view} IS 'Persons that were exported or erased, and days whose events were deleted.';
${columns.map(([name, text]) => `COMMENT ON COLUMN ${view}.${name} IS '${text}';`).join('\n')}
`

export interface Duty extends Erased {
  task: string
  duty: 'export' | 'erase'
  user: string
  environment: string
  person: string
}

export const recordDuty = async (connection: DuckDBConnection, duty: Duty): Promise<void> => {
  const { task, user, environment, person, events, traits, identities, rejected, unlinked } = duty
  await connection.run(
    `INSERT INTO analytics.raw.duties VALUES
     ($1, now(), $2, $3, $4, $5, NULL, $6::BIGINT, $7::BIGINT, $8::BIGINT, $9::BIGINT, $10::BIGINT)`,
    [task, duty.duty, user, environment, person, events, traits, identities, rejected, unlinked],
  )
}

/** The newest 1,000 erasures that are done, by their tasks. */
export const readErased = async (
  connection: DuckDBConnection,
): Promise<Map<string, { person: string; erased: Erased }>> => {
  const reader = await connection.runAndReadAll(
    `SELECT task, person, events::INT AS events, traits::INT AS traits, identities::INT AS identities,
       rejected::INT AS rejected, unlinked::INT AS unlinked
     FROM analytics.raw.duties WHERE duty = 'erase' ORDER BY done_at DESC LIMIT 1000`,
  )
  return new Map(
    reader
      .getRowObjects()
      .map(({ task, person, ...erased }) => [
        task as string,
        { person: person as string, erased: erased as unknown as Erased },
      ]),
  )
}

/** A hash stands for an id in `privacy_log`. One id has one hash in this store, and nobody can find the id by it. */
export const hashOf = (secret: Buffer, { environment, id }: PersonId): string =>
  createHmac('sha256', secret).update(`person\0${environment}\0${id}`).digest('hex').slice(0, 32)

/** Adds to the row of `privacy_log` that counts what retention has deleted of one day. */
export const recordRetention = async (
  connection: DuckDBConnection,
  {
    environment,
    day,
    events,
    rejected,
  }: { environment: string; day: string; events: number; rejected: number },
): Promise<void> => {
  const task = `retention ${environment} ${day}`
  const { rowsChanged } = await connection.run(
    `UPDATE analytics.raw.duties SET done_at = now(), events = events + $2::BIGINT, rejected = rejected + $3::BIGINT
     WHERE task = $1`,
    [task, events, rejected],
  )
  if (rowsChanged > 0) return
  await connection.run(
    `INSERT INTO analytics.raw.duties
     VALUES ($1, now(), 'retention', NULL, $2, NULL, $3::DATE, $4::BIGINT, 0, 0, $5::BIGINT, 0)`,
    [task, environment, day, events, rejected],
  )
}
