import type { Table } from '../Table.js'

export const others: Table = {
  trino: {
    same: [
      [
        "SELECT json_extract_scalar(properties, '$.theme'), count(*) FROM events GROUP BY 1",
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT date_format(timestamp, '%Y-%m-%d'), count(*) FROM events GROUP BY 1",
        "SELECT strftime(timestamp, '%Y-%m-%d'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT date_format(timestamp, '%H:%i') FROM events ORDER BY event_id LIMIT 3",
        "SELECT strftime(timestamp, '%H:%M') FROM events ORDER BY event_id LIMIT 3",
      ],
      ['SELECT approx_distinct(event) FROM events', 'SELECT approx_count_distinct(event) FROM events'],
      [
        "SELECT date_diff('minute', min(timestamp), max(timestamp)) FROM events GROUP BY session_id",
        "SELECT date_diff('minute', min(timestamp), max(timestamp)) FROM events GROUP BY session_id",
      ],
      [
        "SELECT date_add('day', 1, timestamp) FROM events ORDER BY event_id LIMIT 2",
        'SELECT timestamp + INTERVAL 1 DAY FROM events ORDER BY event_id LIMIT 2',
      ],
      [
        "SELECT element_at(split(path, '/'), 2), count(*) FROM events GROUP BY 1",
        "SELECT string_split(path, '/')[2], count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT word, count(*) FROM events CROSS JOIN UNNEST(split(event, ' ')) AS t(word) GROUP BY word",
        "SELECT word, count(*) FROM (SELECT unnest(string_split(event, ' ')) AS word FROM events) GROUP BY word",
      ],
      [
        "SELECT array_join(array_agg(event ORDER BY event_id), ',') FROM events WHERE session_id = 'session-0-0'",
        "SELECT string_agg(event, ',' ORDER BY event_id) FROM events WHERE session_id = 'session-0-0'",
      ],
      [
        "SELECT regexp_like(event, '^Order'), count(*) FROM events GROUP BY 1",
        "SELECT regexp_matches(event, '^Order'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT count_if(event = 'Order Placed') FROM events",
        "SELECT count(*) FILTER (event = 'Order Placed') FROM events",
      ],
      [
        'SELECT max_by(event, timestamp) FROM events GROUP BY session_id',
        'SELECT arg_max(event, timestamp) FROM events GROUP BY session_id',
      ],
      ['SELECT to_unixtime(min(timestamp)) FROM events', 'SELECT epoch(min(timestamp)) FROM events'],
      ['SELECT from_unixtime(0)', 'SELECT to_timestamp(0)'],
      [
        "SELECT TRY_CAST(json_extract_scalar(properties, '$.price') AS DOUBLE) FROM events WHERE event = 'Order Placed' ORDER BY event_id",
        "SELECT prop_number(properties, 'price') FROM events WHERE event = 'Order Placed' ORDER BY event_id",
      ],
      [
        'SELECT day_of_week(timestamp), count(*) FROM events GROUP BY 1',
        'SELECT isodow(timestamp), count(*) FROM events GROUP BY 1',
      ],
      [
        'SELECT event, count(*) FROM events GROUP BY ROLLUP (event)',
        'SELECT event, count(*) FROM events GROUP BY event UNION ALL SELECT NULL, count(*) FROM events',
      ],
      ['SELECT approx_percentile(event_id, 0.5) BETWEEN 1 AND 1000 FROM events', 'SELECT true'],
      [
        "SELECT strpos(path, 'maps'), substr(path, 2, 4) FROM events GROUP BY path",
        "SELECT instr(path, 'maps'), path[2:5] FROM events GROUP BY path",
      ],
    ],
    fails: [],
  },
  clickhouse: {
    same: [
      [
        'SELECT event, count() FROM events GROUP BY event',
        'SELECT event, count(*) FROM events GROUP BY event',
      ],
      [
        "SELECT uniqExact(person_id), countIf(event = 'Order Placed') FROM events",
        "SELECT count(DISTINCT person_id), count(*) FILTER (event = 'Order Placed') FROM events",
      ],
      [
        'SELECT toStartOfDay(timestamp) AS day, uniq(session_id) FROM events GROUP BY day',
        "SELECT date_trunc('day', timestamp), approx_count_distinct(session_id) FROM events GROUP BY 1",
      ],
      [
        'SELECT toDate(timestamp), count() FROM events GROUP BY 1',
        'SELECT timestamp::DATE, count(*) FROM events GROUP BY 1',
      ],
      [
        "SELECT JSONExtractString(properties, 'theme'), count() FROM events GROUP BY 1",
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        'SELECT argMax(event, timestamp) FROM events GROUP BY session_id',
        'SELECT arg_max(event, timestamp) FROM events GROUP BY session_id',
      ],
      ["SELECT any(event) FROM events WHERE event = 'Order Placed'", "SELECT 'Order Placed'"],
      [
        "SELECT sumIf(toFloat64OrZero(properties->>'price'), event = 'Order Placed') FROM events",
        "SELECT sum(prop_number(properties, 'price')) FROM events",
      ],
      [
        "SELECT formatDateTime(timestamp, '%Y-%m-%d'), count() FROM events GROUP BY 1",
        "SELECT strftime(timestamp, '%Y-%m-%d'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT dateDiff('minute', min(timestamp), max(timestamp)) FROM events GROUP BY session_id",
        "SELECT date_diff('minute', min(timestamp), max(timestamp)) FROM events GROUP BY session_id",
      ],
      [
        "SELECT if(event = 'Order Placed', 1, 0), count() FROM events GROUP BY 1",
        "SELECT if(event = 'Order Placed', 1, 0), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT multiIf(event = 'Order Placed', 'order', path = '/', 'home', 'other') AS kind, count() FROM events GROUP BY kind",
        "SELECT CASE WHEN event = 'Order Placed' THEN 'order' WHEN path = '/' THEN 'home' ELSE 'other' END AS kind, count(*) FROM events GROUP BY kind",
      ],
      [
        "SELECT groupArray(event) FROM (SELECT event FROM events WHERE session_id = 'session-0-0' ORDER BY event_id)",
        "SELECT list(event ORDER BY event_id) FROM events WHERE session_id = 'session-0-0'",
      ],
      ['SELECT quantile(0.5)(event_id) BETWEEN 1 AND 1000 FROM events', 'SELECT true'],
      [
        'SELECT event FROM events ORDER BY event_id LIMIT 1 BY session_id',
        'SELECT arg_min(event, event_id) FROM events GROUP BY session_id ORDER BY min(event_id)',
      ],
      [
        "SELECT event, count() AS n FROM events WHERE event LIKE 'Order%' GROUP BY event HAVING n > 1 SETTINGS max_threads = 1",
        "SELECT event, count(*) FROM events WHERE event LIKE 'Order%' GROUP BY event HAVING count(*) > 1",
      ],
      [
        "SELECT word, count() FROM events ARRAY JOIN splitByChar(' ', event) AS word GROUP BY word",
        "SELECT word, count(*) FROM (SELECT unnest(string_split(event, ' ')) AS word FROM events) GROUP BY word",
      ],
      [
        "SELECT count() FROM events PREWHERE event = 'Order Placed'",
        "SELECT count(*) FROM events WHERE event = 'Order Placed'",
      ],
      [
        'SELECT toHour(timestamp), toYear(timestamp), count() FROM events GROUP BY 1, 2',
        'SELECT hour(timestamp), year(timestamp), count(*) FROM events GROUP BY 1, 2',
      ],
      [
        "SELECT match(event, '^Order'), count() FROM events GROUP BY 1",
        "SELECT regexp_matches(event, '^Order'), count(*) FROM events GROUP BY 1",
      ],
    ],
    fails: [],
  },
  tsql: {
    same: [
      [
        'SELECT TOP 3 event FROM events ORDER BY event_id',
        'SELECT event FROM events ORDER BY event_id LIMIT 3',
      ],
      [
        'SELECT [event], COUNT(*) AS [n] FROM [events] GROUP BY [event]',
        'SELECT event, count(*) AS n FROM events GROUP BY event',
      ],
      [
        "SELECT ISNULL(utm_source, 'none'), COUNT(*) FROM events GROUP BY utm_source",
        "SELECT coalesce(utm_source, 'none'), count(*) FROM events GROUP BY utm_source",
      ],
      [
        'SELECT DATEDIFF(day, MIN(timestamp), MAX(timestamp)) FROM events',
        "SELECT date_diff('day', min(timestamp), max(timestamp)) FROM events",
      ],
      [
        'SELECT DATEADD(hour, 1, timestamp) FROM events ORDER BY event_id OFFSET 0 ROWS FETCH NEXT 2 ROWS ONLY',
        'SELECT timestamp + INTERVAL 1 HOUR FROM events ORDER BY event_id LIMIT 2',
      ],
      [
        "SELECT JSON_VALUE(properties, '$.theme'), COUNT(*) FROM events GROUP BY JSON_VALUE(properties, '$.theme')",
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT IIF(event = 'Order Placed', 1, 0), COUNT(*) FROM events GROUP BY IIF(event = 'Order Placed', 1, 0)",
        "SELECT if(event = 'Order Placed', 1, 0), count(*) FROM events GROUP BY 1",
      ],
      [
        'SELECT CONVERT(date, timestamp), COUNT(*) FROM events GROUP BY CONVERT(date, timestamp)',
        'SELECT timestamp::DATE, count(*) FROM events GROUP BY 1',
      ],
      [
        'SELECT CAST(timestamp AS DATE), COUNT(*) FROM events GROUP BY CAST(timestamp AS DATE)',
        'SELECT timestamp::DATE, count(*) FROM events GROUP BY 1',
      ],
      [
        "SELECT STRING_AGG(event, ',') WITHIN GROUP (ORDER BY event_id) FROM events WHERE session_id = 'session-0-0'",
        "SELECT string_agg(event, ',' ORDER BY event_id) FROM events WHERE session_id = 'session-0-0'",
      ],
      [
        "SELECT LEN(event), CHARINDEX('a', event) FROM events GROUP BY event",
        "SELECT length(event), instr(event, 'a') FROM events GROUP BY event",
      ],
      [
        "SELECT FORMAT(timestamp, 'yyyy-MM-dd'), COUNT(*) FROM events GROUP BY FORMAT(timestamp, 'yyyy-MM-dd')",
        "SELECT strftime(timestamp, '%Y-%m-%d'), count(*) FROM events GROUP BY 1",
      ],
      [
        'SELECT DATEPART(hour, timestamp), COUNT(*) FROM events GROUP BY DATEPART(hour, timestamp)',
        'SELECT hour(timestamp), count(*) FROM events GROUP BY 1',
      ],
      [
        'SELECT DATETRUNC(day, timestamp), COUNT(*) FROM events GROUP BY DATETRUNC(day, timestamp)',
        "SELECT date_trunc('day', timestamp), count(*) FROM events GROUP BY 1",
      ],
      ['SELECT COUNT_BIG(*) FROM events WITH (NOLOCK)', 'SELECT count(*) FROM events'],
      [
        'SELECT e.event, p.n FROM (SELECT DISTINCT event FROM events) e CROSS APPLY (SELECT COUNT(*) AS n FROM events x WHERE x.event = e.event) p',
        'SELECT event, count(*) FROM events GROUP BY event',
      ],
      ["SELECT TRY_CAST('x' AS int), TRY_CONVERT(int, '12')", 'SELECT NULL, 12'],
      ["SELECT 'a' + 'b'", "SELECT 'ab'"],
    ],
    fails: [],
  },
  oracle: {
    same: [
      [
        "SELECT NVL(utm_source, 'none'), COUNT(*) FROM events GROUP BY utm_source",
        "SELECT coalesce(utm_source, 'none'), count(*) FROM events GROUP BY utm_source",
      ],
      [
        "SELECT TO_CHAR(timestamp, 'YYYY-MM-DD'), COUNT(*) FROM events GROUP BY TO_CHAR(timestamp, 'YYYY-MM-DD')",
        "SELECT strftime(timestamp, '%Y-%m-%d'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT DECODE(event, 'Order Placed', 'order', 'other'), COUNT(*) FROM events GROUP BY DECODE(event, 'Order Placed', 'order', 'other')",
        "SELECT if(event = 'Order Placed', 'order', 'other'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT LISTAGG(event, ',') WITHIN GROUP (ORDER BY event_id) FROM events WHERE session_id = 'session-0-0'",
        "SELECT string_agg(event, ',' ORDER BY event_id) FROM events WHERE session_id = 'session-0-0'",
      ],
      [
        'SELECT event FROM events ORDER BY event_id FETCH FIRST 3 ROWS ONLY',
        'SELECT event FROM events ORDER BY event_id LIMIT 3',
      ],
      [
        "SELECT TRUNC(timestamp, 'MM'), COUNT(*) FROM events GROUP BY TRUNC(timestamp, 'MM')",
        "SELECT date_trunc('month', timestamp), count(*) FROM events GROUP BY 1",
      ],
      ['SELECT 1 + 1 FROM dual', 'SELECT 2'],
      [
        'SELECT NVL2(utm_source, 1, 0), COUNT(*) FROM events GROUP BY NVL2(utm_source, 1, 0)',
        'SELECT if(utm_source IS NULL, 0, 1), count(*) FROM events GROUP BY 1',
      ],
      [
        "SELECT INSTR(path, 'maps'), SUBSTR(path, 2, 4) FROM events GROUP BY path",
        "SELECT instr(path, 'maps'), path[2:5] FROM events GROUP BY path",
      ],
      ["SELECT event FROM events WHERE REGEXP_LIKE(event, '^Order') GROUP BY event", "SELECT 'Order Placed'"],
      ['SELECT MEDIAN(event_id) FROM events', 'SELECT median(event_id) FROM events'],
      [
        "SELECT event FROM events MINUS SELECT 'Order Placed' FROM events",
        "SELECT DISTINCT event FROM events WHERE event <> 'Order Placed'",
      ],
      [
        "SELECT JSON_VALUE(properties, '$.theme'), COUNT(*) FROM events GROUP BY JSON_VALUE(properties, '$.theme')",
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        'SELECT EXTRACT(HOUR FROM timestamp), COUNT(*) FROM events GROUP BY EXTRACT(HOUR FROM timestamp)',
        'SELECT hour(timestamp), count(*) FROM events GROUP BY 1',
      ],
      [
        'SELECT event, RANK() OVER (ORDER BY COUNT(*) DESC) FROM events GROUP BY event',
        'SELECT event, rank() OVER (ORDER BY count(*) DESC) FROM events GROUP BY event',
      ],
      ["SELECT TO_DATE('2026-01-05', 'YYYY-MM-DD') FROM events GROUP BY 1", "SELECT TIMESTAMP '2026-01-05'"],
      [
        'SELECT event FROM events WHERE ROWNUM <= 3 ORDER BY event_id',
        'SELECT event FROM events ORDER BY event_id LIMIT 3',
      ],
    ],
    fails: [],
  },
}
