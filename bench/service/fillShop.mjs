import { insertSessions, setFolded } from '../../server/dist/schema/sessionTable.js'
import { keptOf } from '../../server/dist/schema/derivedColumns.js'

/** A page with its share of all page views. */
const pages = `['/', '/maps', '/maps/' || (hash(i, 3) % 400), '/maps/' || (hash(i, 4) % 400), '/search', '/cart', '/checkout', '/about', '/blog/' || (hash(i, 5) % 60), '/account']`

export const days = 180
export const firstMs = 1_750_000_000_000
/** So many are written at once, which a small machine can sort in memory. */
const sessionsAtOnce = 125_000

/** The sessions `from` to `until` of a shop, whose events follow sequence `last`. Gives the last sequence then. */
const fillSessions = async (connection, { sessions, persons }, { from, until, last }) => {
  const spanUs = days * 86_400_000_000
  const { rowsChanged } = await connection.run(`
INSERT INTO analytics.raw.events BY NAME
WITH session AS (
  SELECT s, (hash(s, 1) % ${persons})::BIGINT AS p, (s::DOUBLE / ${sessions} * ${spanUs})::BIGINT AS began,
    uuid()::VARCHAR AS session_id, 1 + (hash(s, 2) % 15)::INTEGER AS length
  FROM range(${from}, ${until}) r(s)
), step AS (
  SELECT *, unnest(range(length)) AS n FROM session
), flat AS (
  SELECT *, (hash(s, n) % 1000000000)::BIGINT AS i, began + n * 20000000 + (hash(s, n, 9) % 40000000)::BIGINT AS us FROM step
), kind AS (
  SELECT *, CASE WHEN n = 0 THEN 0 WHEN i % 100 < 62 THEN 0 WHEN i % 100 < 82 THEN 1 WHEN i % 100 < 90 THEN 2
    WHEN i % 100 < 93 AND n > 3 THEN 3 WHEN i % 100 < 95 AND n > 4 THEN 4 ELSE 5 END AS k
  FROM flat
), numbered AS (
  SELECT *, ${last} + row_number() OVER (ORDER BY us) AS seq FROM kind ORDER BY us
), event AS (
SELECT seq, make_timestamptz(${firstMs}000 + us) AS received_at,
  received_at AS "timestamp", 'production' AS environment,
  ['$pageview', 'Map Viewed', 'Added to Basket', 'Checkout Started', 'Order Placed', 'Clicked'][k + 1] AS event,
  CASE WHEN p % 3 = 0 AND n > 2 THEN 'user-' || p END AS distinct_id, md5('anonymous' || p)::UUID::VARCHAR AS anonymous_id,
  md5('device' || p)::UUID::VARCHAR AS device_id, session_id, uuid()::VARCHAR AS insert_id,
  '{"theme":"' || CASE WHEN p % 4 = 0 THEN 'dark' ELSE 'light' END || '","sku":"map-' || (i % 400)
    || '","price":' || (5 + i % 90) || ',"$lib":"waymark","$viewport":"1280x720","path_length":' || n || '}' AS properties,
  'https://shop.example' || CASE WHEN n = 0 AND p % 5 = 0 THEN '/?utm_source=newsletter' ELSE ${pages}[1 + i % 10] END AS url,
  CASE WHEN n = 0 AND p % 3 = 0 THEN 'https://search.example/' WHEN n > 0 THEN 'https://shop.example/' END AS referrer,
  CASE WHEN n = 0 AND p % 5 = 0 THEN ['newsletter', 'partner', 'search'][1 + p % 3] END AS utm_source,
  CASE WHEN n = 0 AND p % 5 = 0 THEN 'mail' END AS utm_medium,
  CASE WHEN n = 0 AND p % 5 = 0 THEN 'spring-' || (p % 12) END AS utm_campaign,
  'waymark' AS lib, '0.1.0' AS lib_version, ['Linux', 'macOS', 'Windows', 'Android', 'iOS'][1 + p % 5] AS os,
  ['Chrome', 'Safari', 'Firefox', 'Edge'][1 + p % 4] AS browser, ['en', 'de', 'fr', 'es'][1 + p % 4] AS language,
  ['DE', 'US', 'FR', 'GB', 'ES', 'AT'][1 + p % 6] AS country, 'Pixel 9' AS device, '1280x720' AS viewport,
  false AS anonymous
FROM numbered
)
SELECT *, ${keptOf} FROM event`)
  const through = last + rowsChanged
  const fresh = `analytics.raw.events e WHERE seq > ${last} AND seq <= ${through}`
  await connection.run(`
INSERT INTO analytics.raw.id_map
WITH linked AS (
  SELECT DISTINCT distinct_id AS u, anonymous_id AS a FROM ${fresh} AND distinct_id IS NOT NULL
    AND hash('production', anonymous_id) NOT IN (SELECT id_key FROM analytics.raw.id_map)
)
SELECT 'production', u, u, true, hash('production', u), hash('production', u) FROM linked
UNION ALL SELECT 'production', a, u, false, hash('production', a), hash('production', u) FROM linked`)
  await connection.run(insertSessions(`${fresh} AND session_key IS NOT NULL`))
  return through
}

/**
 * The part of a shop from one share of its 180 days to another: a session has eight events on average, a person some
 * three sessions unless told otherwise. A third of the persons is known by two ids. Rows come in the order of time, as
 * they do from browsers that are online. Gives the last sequence.
 */
export const fillPart = async (connection, { events, sessionsAPerson = 3 }, { from, until, last }) => {
  const sessions = Math.ceil(events / 8)
  const shop = { sessions, persons: Math.ceil(sessions / sessionsAPerson) }
  const end = Math.ceil(sessions * until)
  let through = last
  for (let at = Math.ceil(sessions * from); at < end; at += sessionsAtOnce) {
    const part = { from: at, until: Math.min(at + sessionsAtOnce, end), last: through }
    through = await fillSessions(connection, shop, part)
  }
  return through
}

/** A whole shop. */
export const fillShop = async (connection, events, sessionsAPerson) => {
  const last = await fillPart(connection, { events, sessionsAPerson }, { from: 0, until: 1, last: 0 })
  await connection.run(setFolded(last))
  await connection.run('CHECKPOINT analytics')
}
