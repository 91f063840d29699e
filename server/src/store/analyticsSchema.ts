import { archiveSchema } from './archiveSchema.js'
import { builtInColumns } from './builtInColumns.js'
import { derivedColumns } from './derivedColumns.js'
import { keptColumns } from './keptColumns.js'
import { rejectedTable } from './rejectedSchema.js'
import { sessionSchema } from './sessionTable.js'

export const analyticsCatalog = 'analytics'

/** Changes with the tables below; a store of another version is upgraded or refused (`bringToVersion`). */
export const storeVersion = 8

const stored = [...builtInColumns.map(({ column }) => column), ...Object.keys(derivedColumns)]
  .map((column) => `${column} VARCHAR`)
  .join(', ')

const kept = Object.entries(keptColumns)
  .map(([column, { type }]) => `${column} ${type}`)
  .join(', ')

/**
 * Raw rows never change. The person of an event is looked up when the event is read, so a merge rewrites
 * a few rows of `id_map` and no event. `persons` and `sessions` are computed from the raw rows and kept up to
 * date with them.
 *
 * A key is the hash of an environment and an id. It has eight bytes to scan and join, where the texts have
 * about thirty. Ids are not compressed, because finding one among compressed ones takes three times as long.
 */
export const analyticsSchema = `
CREATE SCHEMA analytics.raw;
CREATE TABLE analytics.raw.store (version INTEGER NOT NULL);
CREATE TABLE analytics.raw.derived (hash UBIGINT);
CREATE TABLE analytics.raw.position (applied BIGINT NOT NULL);
CREATE TABLE analytics.raw.events (
  seq BIGINT, received_at TIMESTAMPTZ, "timestamp" TIMESTAMPTZ, environment VARCHAR, event VARCHAR,
  distinct_id VARCHAR, anonymous_id VARCHAR, device_id VARCHAR, session_id VARCHAR,
  insert_id VARCHAR, properties JSON, ${stored}, bot VARCHAR, anonymous BOOLEAN,
  plan_verdict VARCHAR, plan_problem VARCHAR, ${kept}
);
CREATE TABLE analytics.raw.id_map (
  environment VARCHAR, distinct_id VARCHAR USING COMPRESSION uncompressed,
  person_id VARCHAR USING COMPRESSION uncompressed, identified BOOLEAN, id_key UBIGINT, person_key UBIGINT
);
CREATE TABLE analytics.raw.traits (
  seq BIGINT, "timestamp" TIMESTAMPTZ, environment VARCHAR, distinct_id VARCHAR, name VARCHAR, value JSON,
  plan_verdict VARCHAR, plan_problem VARCHAR
);
${rejectedTable('analytics.raw.rejected')}
CREATE TABLE analytics.raw.plans (id VARCHAR, schemas JSON);
CREATE TABLE analytics.raw.persons (
  person_key UBIGINT, environment VARCHAR, person_id VARCHAR USING COMPRESSION uncompressed,
  distinct_ids VARCHAR[], traits STRUCT(name VARCHAR, value JSON, "timestamp" TIMESTAMPTZ, seq BIGINT)[],
  first_seen TIMESTAMPTZ, last_seen TIMESTAMPTZ, events BIGINT
);${sessionSchema}
${archiveSchema}
`
