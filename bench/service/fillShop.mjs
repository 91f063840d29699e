import { keptOf } from '../../server/dist/store/keptColumns.js'
import { buildSessions } from '../../server/dist/analytics/applySessions.js'

/** A page with its share of all page views. */
const pages = `['/', '/maps', '/maps/' || (hash(i, 3) % 400), '/maps/' || (hash(i, 4) % 400), '/search', '/cart', '/checkout', '/about', '/blog/' || (hash(i, 5) % 60), '/account']`

/**
 * A shop over 180 days: a session has eight events on average, a person some three sessions unless told otherwise. A
 * third of the persons is known by two ids. Rows come in the order of time, as they do from browsers that are online.
 */
export const fillShop = async (connection, events, sessionsAPerson = 3) => {
  const sessions = Math.ceil(events / 8)
  const persons = Math.ceil(sessions / sessionsAPerson)
  const days = 180
  const spanUs = days * 86_400_000_000
  await connection.run(`
INSERT INTO analytics.raw.events BY NAME
WITH session AS (
  SELECT s, (hash(s, 1) % ${persons})::BIGINT AS p, (s::DOUBLE / ${sessions} * ${spanUs})::BIGINT AS began,
    uuid()::VARCHAR AS session_id, 1 + (hash(s, 2) % 15)::INTEGER AS length
  FROM range(${sessions}) r(s)
), step AS (
  SELECT *, unnest(range(length)) AS n FROM session
), flat AS (
  SELECT *, (hash(s, n) % 1000000000)::BIGINT AS i, began + n * 20000000 + (hash(s, n, 9) % 40000000)::BIGINT AS us FROM step
), kind AS (
  SELECT *, CASE WHEN n = 0 THEN 0 WHEN i % 100 < 62 THEN 0 WHEN i % 100 < 82 THEN 1 WHEN i % 100 < 90 THEN 2
    WHEN i % 100 < 93 AND n > 3 THEN 3 WHEN i % 100 < 95 AND n > 4 THEN 4 ELSE 5 END AS k
  FROM flat
), event AS (
SELECT row_number() OVER (ORDER BY us) AS seq, make_timestamptz(1750000000000000 + us) AS received_at,
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
FROM kind
)
SELECT *, ${keptOf} FROM event ORDER BY seq`)
  await connection.run(`
INSERT INTO analytics.raw.id_map
WITH linked AS (SELECT 'user-' || p AS u, md5('anonymous' || p)::UUID::VARCHAR AS a FROM range(0, ${persons}, 3) r(p))
SELECT 'production', u, u, true, hash('production', u), hash('production', u) FROM linked
UNION ALL SELECT 'production', a, u, false, hash('production', a), hash('production', u) FROM linked`)
  await buildSessions(connection)
  await connection.run('CHECKPOINT analytics')
}
