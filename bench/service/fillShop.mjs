import { buildSessions } from '../../server/dist/analytics/applySessions.js'

/** A page with its share of all page views. */
const pages = `['/', '/maps', '/maps/' || (hash(i, 3) % 400), '/maps/' || (hash(i, 4) % 400), '/search', '/cart', '/checkout', '/about', '/blog/' || (hash(i, 5) % 60), '/account']`

/**
 * A shop over 180 days: a session has eight events on average, a person some three sessions. A third of the
 * persons is known by two ids. Rows come in the order of time, as they do from browsers that are online.
 */
export const fillShop = async (connection, events) => {
  const sessions = Math.ceil(events / 8)
  const persons = Math.ceil(sessions / 3)
  const days = 180
  const spanUs = days * 86_400_000_000
  await connection.run(`
INSERT INTO analytics.raw.events (seq, received_at, "timestamp", environment, event, distinct_id, anonymous_id,
  device_id, session_id, insert_id, properties, url, referrer, utm_source, utm_medium, utm_campaign, lib,
  lib_version, os, browser, language, country, device, viewport)
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
)
SELECT row_number() OVER (ORDER BY us), make_timestamptz(1750000000000000 + us), make_timestamptz(1750000000000000 + us),
  'production', ['$pageview', 'Map Viewed', 'Added to Basket', 'Checkout Started', 'Order Placed', 'Clicked'][k + 1],
  CASE WHEN p % 3 = 0 AND n > 2 THEN 'user-' || p END, md5('anonymous' || p)::UUID::VARCHAR,
  md5('device' || p)::UUID::VARCHAR, session_id, uuid()::VARCHAR,
  '{"theme":"' || CASE WHEN p % 4 = 0 THEN 'dark' ELSE 'light' END || '","sku":"map-' || (i % 400)
    || '","price":' || (5 + i % 90) || ',"$lib":"waymark","$viewport":"1280x720","path_length":' || n || '}',
  'https://shop.example' || CASE WHEN n = 0 AND p % 5 = 0 THEN '/?utm_source=newsletter' ELSE ${pages}[1 + i % 10] END,
  CASE WHEN n = 0 AND p % 3 = 0 THEN 'https://search.example/' WHEN n > 0 THEN 'https://shop.example/' END,
  CASE WHEN n = 0 AND p % 5 = 0 THEN ['newsletter', 'partner', 'search'][1 + p % 3] END,
  CASE WHEN n = 0 AND p % 5 = 0 THEN 'mail' END, CASE WHEN n = 0 AND p % 5 = 0 THEN 'spring-' || (p % 12) END,
  'waymark', '0.1.0', ['Linux', 'macOS', 'Windows', 'Android', 'iOS'][1 + p % 5],
  ['Chrome', 'Safari', 'Firefox', 'Edge'][1 + p % 4], ['en', 'de', 'fr', 'es'][1 + p % 4],
  ['DE', 'US', 'FR', 'GB', 'ES', 'AT'][1 + p % 6], 'Pixel 9', '1280x720'
FROM kind ORDER BY us`)
  await connection.run(`
INSERT INTO analytics.raw.id_map
WITH linked AS (SELECT 'user-' || p AS u, md5('anonymous' || p)::UUID::VARCHAR AS a FROM range(0, ${persons}, 3) r(p))
SELECT 'production', u, u, true, hash('production', u), hash('production', u) FROM linked
UNION ALL SELECT 'production', a, u, false, hash('production', a), hash('production', u) FROM linked`)
  await buildSessions(connection)
  await connection.run('CHECKPOINT analytics')
}
