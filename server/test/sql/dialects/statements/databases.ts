import type { Table } from '../Table.js'

export const databases: Table = {
  postgresql: {
    same: [
      [
        "SELECT event, count(*) FILTER (WHERE path ~ '^/maps') FROM events GROUP BY 1",
        "SELECT event, count(*) FILTER (regexp_matches(path, '^/maps')) FROM events GROUP BY 1",
      ],
      [
        "SELECT count(*) FROM events WHERE event !~* '^order'",
        "SELECT count(*) FROM events WHERE NOT regexp_matches(event, '^order', 'i')",
      ],
      [
        "SELECT count(*) FROM events WHERE event ILIKE 'order%'",
        "SELECT count(*) FROM events WHERE lower(event) LIKE 'order%'",
      ],
      [
        "SELECT properties->>'theme', count(*) FROM events GROUP BY 1",
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT sum((properties->>'price')::numeric(10,2)) FROM events",
        "SELECT sum(prop(properties, 'price')::DECIMAL(10,2)) FROM events",
      ],
      [
        "SELECT properties->'items'->0->>'sku' FROM events WHERE event = 'Order Placed' ORDER BY event_id",
        "SELECT properties->>'$.items[0].sku' FROM events WHERE event = 'Order Placed' ORDER BY event_id",
      ],
      [
        "SELECT properties#>>'{items,1,sku}' FROM events WHERE event = 'Order Placed' ORDER BY event_id",
        "SELECT properties->>'$.items[1].sku' FROM events WHERE event = 'Order Placed' ORDER BY event_id",
      ],
      [
        "SELECT properties::jsonb->>'theme' FROM events ORDER BY event_id LIMIT 3",
        "SELECT prop(properties, 'theme') FROM events ORDER BY event_id LIMIT 3",
      ],
      [
        "SELECT to_char(timestamp, 'YYYY-MM-DD HH24:MI'), count(*) FROM events GROUP BY 1",
        "SELECT strftime(timestamp, '%Y-%m-%d %H:%M'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT date_trunc('week', timestamp), count(DISTINCT person_id) FROM events GROUP BY 1 ORDER BY 1",
        "SELECT date_trunc('week', timestamp), count(DISTINCT person_id) FROM events GROUP BY 1 ORDER BY 1",
      ],
      [
        "SELECT DISTINCT ON (session_id) session_id, path FROM events WHERE event = '$pageview' ORDER BY session_id, timestamp DESC",
        "SELECT session_id, arg_max(path, timestamp) FROM events WHERE event = '$pageview' GROUP BY 1 ORDER BY 1",
      ],
      [
        "SELECT string_agg(event, ',' ORDER BY event_id) FROM events WHERE session_id = 'session-0-0'",
        "SELECT array_to_string(list(event ORDER BY event_id), ',') FROM events WHERE session_id = 'session-0-0'",
      ],
      [
        'SELECT extract(epoch FROM max(timestamp) - min(timestamp)) FROM events GROUP BY session_id',
        'SELECT epoch(max(timestamp) - min(timestamp)) FROM events GROUP BY session_id',
      ],
      [
        "SELECT d::date, count(event_id) FROM generate_series('2026-01-05'::timestamptz, '2026-01-15', '1 day') AS g(d) LEFT JOIN events ON timestamp::date = d::date GROUP BY 1",
        "SELECT d::DATE, count(event_id) FROM generate_series('2026-01-05'::TIMESTAMPTZ, '2026-01-15'::TIMESTAMPTZ, INTERVAL 1 DAY) AS g(d) LEFT JOIN events ON timestamp::DATE = d::DATE GROUP BY 1",
      ],
      [
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY (properties->>'price')::float8) FROM events",
        "SELECT quantile_cont(prop_number(properties, 'price'), 0.5) FROM events",
      ],
      [
        "SELECT split_part(path, '/', 2), length(path), position('maps' IN path), left(path, 3) FROM events GROUP BY path",
        "SELECT split_part(path, '/', 2), length(path), instr(path, 'maps'), path[:3] FROM events GROUP BY path",
      ],
      [
        'SELECT event, lag(event) OVER w FROM events WINDOW w AS (PARTITION BY session_id ORDER BY timestamp)',
        'SELECT event, lag(event) OVER (PARTITION BY session_id ORDER BY timestamp) FROM events',
      ],
      [
        "SELECT timestamp AT TIME ZONE 'Europe/Berlin' FROM events ORDER BY event_id LIMIT 2",
        "SELECT timezone('Europe/Berlin', timestamp) FROM events ORDER BY event_id LIMIT 2",
      ],
      [
        "SELECT count(*) FROM events WHERE event = ANY(ARRAY['Order Placed', 'Map Viewed'])",
        "SELECT count(*) FROM events WHERE event IN ('Order Placed', 'Map Viewed')",
      ],
      [
        "SELECT i.item->>'sku', count(*) FROM events, LATERAL jsonb_array_elements(properties::jsonb->'items') AS i(item) GROUP BY 1",
        `SELECT item->>'sku', count(*) FROM (SELECT unnest(from_json(properties->'items', '["JSON"]')) AS item FROM events) GROUP BY 1`,
      ],
      [
        "SELECT properties ? 'price', count(*) FROM events GROUP BY 1",
        "SELECT json_exists(properties, 'price'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT now() - interval '30 days' > min(timestamp) FROM events",
        'SELECT now() - INTERVAL 30 DAY > min(timestamp) FROM events',
      ],
    ],
    fails: [],
  },
  redshift: {
    same: [
      [
        "SELECT NVL(utm_source, 'none'), COUNT(*) FROM events GROUP BY 1",
        "SELECT coalesce(utm_source, 'none'), count(*) FROM events GROUP BY 1",
      ],
      [
        'SELECT DATEDIFF(day, MIN(timestamp), MAX(timestamp)) FROM events',
        "SELECT date_diff('day', min(timestamp), max(timestamp)) FROM events",
      ],
      [
        'SELECT DATEADD(hour, 2, timestamp) FROM events ORDER BY event_id LIMIT 2',
        'SELECT timestamp + INTERVAL 2 HOUR FROM events ORDER BY event_id LIMIT 2',
      ],
      [
        "SELECT DATE_TRUNC('month', timestamp), COUNT(DISTINCT person_id) FROM events GROUP BY 1",
        "SELECT date_trunc('month', timestamp), count(DISTINCT person_id) FROM events GROUP BY 1",
      ],
      [
        "SELECT LISTAGG(event, '|') WITHIN GROUP (ORDER BY event_id) FROM events WHERE session_id = 'session-0-0'",
        "SELECT string_agg(event, '|' ORDER BY event_id) FROM events WHERE session_id = 'session-0-0'",
      ],
      [
        "SELECT TO_CHAR(timestamp, 'YYYY-MM'), COUNT(*) FROM events GROUP BY 1",
        "SELECT strftime(timestamp, '%Y-%m'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT JSON_EXTRACT_PATH_TEXT(properties, 'theme'), COUNT(*) FROM events GROUP BY 1",
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT DECODE(event, 'Order Placed', 1, 0), COUNT(*) FROM events GROUP BY 1",
        "SELECT if(event = 'Order Placed', 1, 0), count(*) FROM events GROUP BY 1",
      ],
      [
        'SELECT event FROM events QUALIFY ROW_NUMBER() OVER (PARTITION BY session_id ORDER BY timestamp) = 1',
        'SELECT arg_min(event, event_id) FROM events GROUP BY session_id',
      ],
      [
        'SELECT APPROXIMATE COUNT(DISTINCT event) FROM events',
        'SELECT approx_count_distinct(event) FROM events',
      ],
      [
        'SELECT TOP 3 event FROM events ORDER BY event_id',
        'SELECT event FROM events ORDER BY event_id LIMIT 3',
      ],
      [
        'SELECT NVL2(utm_source, 1, 0), COUNT(*) FROM events GROUP BY 1',
        'SELECT if(utm_source IS NOT NULL, 1, 0), count(*) FROM events GROUP BY 1',
      ],
      ["SELECT STRTOL('ff', 16)", 'SELECT 255'],
      ['SELECT MEDIAN(event_id) FROM events', 'SELECT median(event_id) FROM events'],
      [
        "SELECT event FROM events WHERE event SIMILAR TO '(Order|Map)%' GROUP BY 1",
        "SELECT event FROM events WHERE event LIKE 'Order%' OR event LIKE 'Map%' GROUP BY 1",
      ],
      [
        "SELECT LEN(event), CHARINDEX('a', event) FROM events GROUP BY event",
        "SELECT length(event), instr(event, 'a') FROM events GROUP BY event",
      ],
      ["SELECT GETDATE() > MAX(timestamp) - INTERVAL '99 years' FROM events", 'SELECT true'],
    ],
    fails: [],
  },
  mysql: {
    same: [
      [
        'SELECT `event`, COUNT(*) AS `n` FROM `events` GROUP BY `event`',
        'SELECT event, count(*) AS n FROM events GROUP BY event',
      ],
      [
        "SELECT IFNULL(utm_source, 'none'), COUNT(*) FROM events GROUP BY 1",
        "SELECT coalesce(utm_source, 'none'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT DATE_FORMAT(timestamp, '%Y-%m-%d'), COUNT(*) FROM events GROUP BY 1",
        "SELECT strftime(timestamp, '%Y-%m-%d'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT DATE_FORMAT(timestamp, '%H:%i:%s') FROM events ORDER BY event_id LIMIT 3",
        "SELECT strftime(timestamp, '%H:%M:%S') FROM events ORDER BY event_id LIMIT 3",
      ],
      [
        "SELECT IF(event = 'Order Placed', 'order', 'other') AS kind, COUNT(*) FROM events GROUP BY kind",
        "SELECT CASE event WHEN 'Order Placed' THEN 'order' ELSE 'other' END AS kind, count(*) FROM events GROUP BY kind",
      ],
      [
        "SELECT GROUP_CONCAT(DISTINCT event ORDER BY event SEPARATOR '; ') FROM events",
        "SELECT string_agg(DISTINCT event, '; ' ORDER BY event) FROM events",
      ],
      [
        "SELECT properties->>'$.theme', COUNT(*) FROM events GROUP BY 1",
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT JSON_UNQUOTE(JSON_EXTRACT(properties, '$.theme')), COUNT(*) FROM events GROUP BY 1",
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT JSON_EXTRACT(properties, '$.items[0].quantity') FROM events WHERE event = 'Order Placed' ORDER BY event_id",
        "SELECT properties->'$.items[0].quantity' FROM events WHERE event = 'Order Placed' ORDER BY event_id",
      ],
      [
        'SELECT event FROM events ORDER BY event_id LIMIT 5, 3',
        'SELECT event FROM events ORDER BY event_id LIMIT 3 OFFSET 5',
      ],
      [
        'SELECT DATEDIFF(MAX(timestamp), MIN(timestamp)) FROM events',
        "SELECT date_diff('day', min(timestamp), max(timestamp)) FROM events",
      ],
      [
        "SELECT COUNT(*) FROM events WHERE timestamp >= DATE_SUB('2026-01-15', INTERVAL 3 DAY)",
        "SELECT count(*) FROM events WHERE timestamp >= '2026-01-12'",
      ],
      [
        'SELECT YEAR(timestamp), MONTH(timestamp), HOUR(timestamp), COUNT(*) FROM events GROUP BY 1, 2, 3',
        'SELECT year(timestamp), month(timestamp), hour(timestamp), count(*) FROM events GROUP BY 1, 2, 3',
      ],
      [
        "SELECT COUNT(*) FROM events WHERE event REGEXP '^(Order|Map)'",
        "SELECT count(*) FROM events WHERE regexp_matches(event, '^(Order|Map)')",
      ],
      [
        "SELECT CONCAT(event, ': ', COUNT(*)) FROM events GROUP BY event",
        "SELECT event || ': ' || count(*) FROM events GROUP BY event",
      ],
      [
        "SELECT SUBSTRING_INDEX(host, '.', 1), COUNT(*) FROM events GROUP BY 1",
        "SELECT split_part(host, '.', 1), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT CAST(properties->>'$.price' AS DECIMAL(10,2)) FROM events WHERE event = 'Order Placed' ORDER BY event_id",
        "SELECT prop(properties, 'price')::DECIMAL(10,2) FROM events WHERE event = 'Order Placed' ORDER BY event_id",
      ],
      [
        'SELECT UNIX_TIMESTAMP(MIN(timestamp)) FROM events',
        'SELECT epoch(min(timestamp))::BIGINT FROM events',
      ],
      [
        'SELECT session_id, TIMESTAMPDIFF(MINUTE, MIN(timestamp), MAX(timestamp)) FROM events GROUP BY 1',
        "SELECT session_id, date_diff('minute', min(timestamp), max(timestamp)) FROM events GROUP BY 1",
      ],
      [
        'SELECT event, ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, event) FROM events GROUP BY event',
        'SELECT event, row_number() OVER (ORDER BY count(*) DESC, event) FROM events GROUP BY event',
      ],
      [String.raw`SELECT 'it\'s', "two"`, "SELECT 'it''s', 'two'"],
      [
        "SELECT NULLIF(event, '$pageview') <=> NULL, COUNT(*) FROM events GROUP BY 1",
        "SELECT event = '$pageview', count(*) FROM events GROUP BY 1",
      ],
    ],
    fails: [],
  },
  sqlite: {
    same: [
      [
        "SELECT strftime('%Y-%m-%d', timestamp), count(*) FROM events GROUP BY 1",
        "SELECT strftime(timestamp, '%Y-%m-%d'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT ifnull(utm_source, 'none'), count(*) FROM events GROUP BY 1",
        "SELECT coalesce(utm_source, 'none'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT json_extract(properties, '$.sku'), count(*) FROM events GROUP BY 1",
        "SELECT prop(properties, 'sku'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT properties ->> '$.theme', count(*) FROM events GROUP BY 1",
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT properties ->> 'theme', count(*) FROM events GROUP BY 1",
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT group_concat(event, '|') FROM (SELECT DISTINCT event FROM events ORDER BY event)",
        "SELECT string_agg(event, '|') FROM (SELECT DISTINCT event FROM events ORDER BY event)",
      ],
      [
        "SELECT iif(event = 'Order Placed', 1, 0), count(*) FROM events GROUP BY 1",
        "SELECT if(event = 'Order Placed', 1, 0), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT substr(path, 2, 4), instr(path, 'maps') FROM events GROUP BY path",
        "SELECT path[2:5], instr(path, 'maps') FROM events GROUP BY path",
      ],
      [
        'SELECT date(timestamp), count(*) FROM events GROUP BY 1',
        'SELECT timestamp::DATE, count(*) FROM events GROUP BY 1',
      ],
      ["SELECT event FROM events WHERE event GLOB 'Order*' GROUP BY 1", "SELECT 'Order Placed'"],
      [
        "SELECT total(CAST(properties ->> '$.price' AS REAL)) FROM events",
        "SELECT sum(prop_number(properties, 'price')) FROM events",
      ],
      ['SELECT typeof(event_id), typeof(event) FROM events LIMIT 1', "SELECT 'integer', 'text'"],
      [
        'SELECT event FROM events ORDER BY event_id LIMIT 3 OFFSET 2',
        'SELECT event FROM events ORDER BY event_id OFFSET 2 LIMIT 3',
      ],
      [
        'SELECT [event], count(*) FROM [events] GROUP BY [event]',
        'SELECT event, count(*) FROM events GROUP BY event',
      ],
      [
        'SELECT julianday(max(timestamp)) - julianday(min(timestamp)) FROM events',
        'SELECT epoch(max(timestamp) - min(timestamp)) / 86400 FROM events',
      ],
      [
        "SELECT count(*) FROM events WHERE utm_source IS NOT 'newsletter'",
        "SELECT count(*) FROM events WHERE utm_source IS DISTINCT FROM 'newsletter'",
      ],
      [
        'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n',
        'SELECT unnest(range(1, 6))',
      ],
    ],
    fails: [],
  },
}
