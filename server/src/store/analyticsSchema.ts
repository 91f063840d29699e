export const analyticsCatalog = 'analytics'

/**
 * Raw rows never change; who a row belongs to is looked up when it is read. So a merge rewrites a
 * few rows of `id_map` and no event, and traits follow their id without being copied.
 */
export const analyticsSchema = `
CREATE SCHEMA IF NOT EXISTS analytics.raw;
CREATE TABLE IF NOT EXISTS analytics.raw.position (applied BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS analytics.raw.events (
  seq BIGINT, received_at TIMESTAMP, "timestamp" TIMESTAMP, environment VARCHAR, event VARCHAR,
  distinct_id VARCHAR, anonymous_id VARCHAR, device_id VARCHAR, session_id VARCHAR,
  insert_id VARCHAR, insert_hash UBIGINT, properties JSON
);
CREATE TABLE IF NOT EXISTS analytics.raw.id_map (
  environment VARCHAR, distinct_id VARCHAR, person_id VARCHAR, identified BOOLEAN
);
CREATE TABLE IF NOT EXISTS analytics.raw.traits (
  seq BIGINT, "timestamp" TIMESTAMP, environment VARCHAR, distinct_id VARCHAR, name VARCHAR, value JSON
);
CREATE TABLE IF NOT EXISTS analytics.raw.rejected (
  seq BIGINT, received_at TIMESTAMP, kind VARCHAR, body VARCHAR, reason VARCHAR
);
CREATE OR REPLACE VIEW analytics.main.events AS
SELECT e.seq AS event_id, e.received_at, e."timestamp", e.environment, e.event, e.distinct_id,
  e.anonymous_id, e.device_id, e.session_id,
  coalesce(m.person_id, e.distinct_id, e.anonymous_id) AS person_id, e.insert_id, e.properties
FROM analytics.raw.events e
LEFT JOIN analytics.raw.id_map m
  ON m.environment = e.environment AND m.distinct_id = coalesce(e.distinct_id, e.anonymous_id);
CREATE OR REPLACE VIEW analytics.main.persons AS
WITH seen AS (
  SELECT environment, coalesce(distinct_id, anonymous_id) AS id, min("timestamp") AS first_seen,
    max("timestamp") AS last_seen, count(*) AS events
  FROM analytics.raw.events WHERE coalesce(distinct_id, anonymous_id) IS NOT NULL GROUP BY ALL
  UNION ALL SELECT environment, distinct_id, NULL, NULL, 0 FROM analytics.raw.id_map
  UNION ALL
  SELECT environment, distinct_id, min("timestamp"), max("timestamp"), 0
  FROM analytics.raw.traits GROUP BY ALL
), person AS (
  SELECT s.environment, coalesce(m.person_id, s.id) AS person_id, list_sort(list(DISTINCT s.id)) AS distinct_ids,
    min(s.first_seen) AS first_seen, max(s.last_seen) AS last_seen, sum(s.events)::BIGINT AS events
  FROM seen s
  LEFT JOIN analytics.raw.id_map m ON m.environment = s.environment AND m.distinct_id = s.id
  GROUP BY ALL
), trait AS (
  SELECT t.environment, coalesce(m.person_id, t.distinct_id) AS person_id, t.name,
    arg_max(t.value, (t."timestamp", t.seq)) AS value
  FROM analytics.raw.traits t
  LEFT JOIN analytics.raw.id_map m ON m.environment = t.environment AND m.distinct_id = t.distinct_id
  WHERE t.name IS NOT NULL
  GROUP BY ALL
), bundle AS (
  SELECT environment, person_id, json_group_object(name, value) AS traits FROM trait GROUP BY ALL
)
SELECT p.environment, p.person_id, p.distinct_ids, coalesce(b.traits, '{}')::JSON AS traits,
  p.first_seen, p.last_seen, p.events
FROM person p
LEFT JOIN bundle b ON b.environment = p.environment AND b.person_id = p.person_id;
`
