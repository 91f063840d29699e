import type { DuckDBConnection } from '@duckdb/node-api'

/**
 * Makes the table `part`: what the newest rows say about each id, and the person that the id belongs to now. `mends`
 * marks an id whose person must be put together anew because its ids or traits change, not only its times and counts.
 */
const partSql = (first: number, mends: boolean) => `
CREATE OR REPLACE TEMP TABLE part AS
WITH seen AS (
  SELECT id_key, environment, coalesce(distinct_id, anonymous_id) AS id, "timestamp" AS moment, 1 AS events,
    false AS mends
  FROM analytics.raw.events WHERE seq >= ${first} AND NOT anonymous AND id_key IS NOT NULL
  UNION ALL
  SELECT hash(environment, distinct_id), environment, distinct_id, "timestamp", 0, name IS NOT NULL
  FROM analytics.raw.traits WHERE seq >= ${first}
  ${mends ? 'UNION ALL SELECT hash(environment, id), environment, id, NULL, 0, true FROM changed' : ''}
), id AS (
  SELECT id_key, any_value(environment) AS environment, any_value(id) AS id, min(moment) AS first_seen,
    max(moment) AS last_seen, sum(events)::BIGINT AS events, bool_or(mends) AS mends
  FROM seen GROUP BY id_key
)
SELECT i.*, coalesce(m.person_key, i.id_key) AS person_key, coalesce(m.person_id, i.id) AS person_id
FROM id i LEFT JOIN analytics.raw.id_map m ON m.id_key = i.id_key`

/** The persons that were merged into another person. */
const merged = '(SELECT DISTINCT from_key, into_key FROM changed WHERE "from" <> "into")'

const mendingSql = `
CREATE OR REPLACE TEMP TABLE mending AS
SELECT person_key FROM part WHERE mends UNION SELECT from_key FROM ${merged}`

/** Moves the persons that change to the table `taken`; `putSql` writes them back. */
const takeSql = [
  `CREATE OR REPLACE TEMP TABLE taken AS
   SELECT coalesce(m.into_key, p.person_key) AS person_key, p.* EXCLUDE (person_key)
   FROM (SELECT * FROM analytics.raw.persons SEMI JOIN mending USING (person_key)) p
   LEFT JOIN ${merged} m ON m.from_key = p.person_key`,
  'DELETE FROM analytics.raw.persons WHERE person_key IN (FROM mending)',
]

/** Puts persons together: ids are united and sorted, and a trait keeps its value with the latest time, then the latest sequence. */
const putSql = (first: number) => `
INSERT INTO analytics.raw.persons
WITH fresh AS (SELECT * FROM part SEMI JOIN mending USING (person_key)),
piece AS (
  SELECT person_key, distinct_ids, first_seen, last_seen, events FROM taken
  UNION ALL SELECT person_key, [id], first_seen, last_seen, events FROM fresh
), person AS (
  SELECT person_key, list_sort(list_distinct(flatten(list(distinct_ids)))) AS distinct_ids,
    min(first_seen) AS first_seen, max(last_seen) AS last_seen, sum(events)::BIGINT AS events
  FROM piece GROUP BY person_key
), trait AS (
  SELECT person_key, t.name, arg_max(t, (t."timestamp", t.seq)) AS t
  FROM (
    SELECT person_key, unnest(traits) AS t FROM taken
    UNION ALL
    SELECT f.person_key,
      {'name': r.name, 'value': r.value, 'timestamp': r."timestamp", 'seq': r.seq} AS t
    FROM analytics.raw.traits r
    JOIN fresh f ON f.environment = r.environment AND f.id = r.distinct_id
    WHERE r.seq >= ${first} AND r.name IS NOT NULL
  ) GROUP BY ALL
), bundle AS (
  SELECT person_key, list_sort(list(t)) AS traits FROM trait GROUP BY person_key
)
SELECT p.person_key, n.environment, n.person_id, p.distinct_ids, coalesce(b.traits, []), p.first_seen,
  p.last_seen, p.events
FROM person p
JOIN (SELECT DISTINCT person_key, environment, person_id FROM fresh) n ON n.person_key = p.person_key
LEFT JOIN bundle b ON b.person_key = p.person_key`

/** Adds times and counts to persons that change nothing else: DuckDB updates numbers in place. */
const countSql = (mends: boolean) => `
MERGE INTO analytics.raw.persons p
USING (
  SELECT person_key, any_value(environment) AS environment, any_value(person_id) AS person_id,
    list_sort(list(id)) AS ids, min(first_seen) AS first_seen, max(last_seen) AS last_seen,
    sum(events)::BIGINT AS events
  FROM part ${mends ? 'ANTI JOIN mending USING (person_key)' : ''} GROUP BY person_key
) n ON p.person_key = n.person_key
WHEN MATCHED THEN UPDATE SET first_seen = least(p.first_seen, n.first_seen),
  last_seen = greatest(p.last_seen, n.last_seen), events = p.events + n.events
WHEN NOT MATCHED THEN INSERT VALUES
  (n.person_key, n.environment, n.person_id, n.ids, [], n.first_seen, n.last_seen, n.events)`

/**
 * Brings the rows from sequence `first` on into the table of persons. `mends` says that some rows hold traits or that
 * ids changed; those ids are in the table `changed`.
 */
export const applyPersons = async (
  connection: DuckDBConnection,
  { first, mends }: { first: number; mends: boolean },
): Promise<void> => {
  await connection.run(partSql(first, mends))
  if (mends) {
    await connection.run(mendingSql)
    for (const sql of takeSql) await connection.run(sql)
    await connection.run(putSql(first))
  }
  await connection.run(countSql(mends))
}
