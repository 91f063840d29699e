import { rejectedTable } from './rejectedSchema.js'

export const analyticsCatalog = 'analytics'

/**
 * Raw rows never change; who an event belongs to is looked up when it is read, so that a merge rewrites
 * a few rows of `id_map` and no event. `persons` is what the raw rows say, kept up to date with them.
 *
 * A key is the hash of an environment and an id: eight bytes to scan and join where the texts are
 * thirty. Ids are not compressed, because finding one among compressed ones takes three times as long.
 */
export const analyticsSchema = `
CREATE SCHEMA IF NOT EXISTS analytics.raw;
CREATE TABLE IF NOT EXISTS analytics.raw.position (applied BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS analytics.raw.events (
  seq BIGINT, received_at TIMESTAMP, "timestamp" TIMESTAMP, environment VARCHAR, event VARCHAR,
  distinct_id VARCHAR, anonymous_id VARCHAR, device_id VARCHAR, session_id VARCHAR,
  insert_id VARCHAR, properties JSON
);
CREATE TABLE IF NOT EXISTS analytics.raw.id_map (
  environment VARCHAR, distinct_id VARCHAR USING COMPRESSION uncompressed,
  person_id VARCHAR USING COMPRESSION uncompressed, identified BOOLEAN, id_key UBIGINT, person_key UBIGINT
);
CREATE TABLE IF NOT EXISTS analytics.raw.traits (
  seq BIGINT, "timestamp" TIMESTAMP, environment VARCHAR, distinct_id VARCHAR, name VARCHAR, value JSON
);
${rejectedTable('analytics.raw.rejected')}
CREATE TABLE IF NOT EXISTS analytics.raw.persons (
  person_key UBIGINT, environment VARCHAR, person_id VARCHAR USING COMPRESSION uncompressed,
  distinct_ids VARCHAR[], traits STRUCT(name VARCHAR, value JSON, "timestamp" TIMESTAMP, seq BIGINT)[],
  first_seen TIMESTAMP, last_seen TIMESTAMP, events BIGINT
);
`

export const analyticsViews = `
CREATE OR REPLACE VIEW analytics.main.events AS
SELECT e.seq AS event_id, e.received_at, e."timestamp", e.environment, e.event, e.distinct_id,
  e.anonymous_id, e.device_id, e.session_id,
  coalesce(m.person_id, e.distinct_id, e.anonymous_id) AS person_id, e.insert_id, e.properties
FROM analytics.raw.events e
LEFT JOIN analytics.raw.id_map m
  ON m.environment = e.environment AND m.distinct_id = coalesce(e.distinct_id, e.anonymous_id);
CREATE OR REPLACE VIEW analytics.main.persons AS
SELECT environment, person_id, distinct_ids,
  to_json(map_from_entries(list_transform(traits, lambda t: {'k': t.name, 'v': t.value})))::JSON AS traits,
  first_seen, last_seen, events
FROM analytics.raw.persons;
`
