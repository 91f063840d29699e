import type { Table } from '../Table.js'

export const warehouses: Table = {
  bigquery: {
    same: [
      [
        "SELECT event, COUNTIF(path = '/') FROM `events` GROUP BY event",
        "SELECT event, count(*) FILTER (path = '/') FROM events GROUP BY event",
      ],
      [
        "SELECT SAFE_DIVIDE(COUNTIF(event = 'Order Placed'), COUNT(DISTINCT person_id)) FROM events",
        "SELECT count(*) FILTER (event = 'Order Placed') / count(DISTINCT person_id) FROM events",
      ],
      [
        'SELECT TIMESTAMP_TRUNC(timestamp, DAY) AS day, COUNT(*) FROM events GROUP BY day ORDER BY day',
        "SELECT date_trunc('day', timestamp) AS day, count(*) FROM events GROUP BY day ORDER BY day",
      ],
      [
        "SELECT FORMAT_TIMESTAMP('%Y-%m-%d', timestamp), COUNT(*) FROM events GROUP BY 1",
        "SELECT strftime(timestamp, '%Y-%m-%d'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT JSON_VALUE(properties, '$.theme'), COUNT(*) FROM events GROUP BY 1",
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT JSON_EXTRACT_SCALAR(properties, '$.theme'), COUNT(*) FROM events GROUP BY 1",
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT JSON_QUERY(properties, '$.items[0]') FROM events WHERE event = 'Order Placed' ORDER BY event_id",
        "SELECT properties->'$.items[0]' FROM events WHERE event = 'Order Placed' ORDER BY event_id",
      ],
      ['SELECT APPROX_COUNT_DISTINCT(event) FROM events', 'SELECT approx_count_distinct(event) FROM events'],
      [
        'SELECT TIMESTAMP_DIFF(MAX(timestamp), MIN(timestamp), MINUTE) FROM events GROUP BY session_id',
        "SELECT date_diff('minute', min(timestamp), max(timestamp)) FROM events GROUP BY session_id",
      ],
      [
        'SELECT TIMESTAMP_ADD(timestamp, INTERVAL 1 HOUR) FROM events ORDER BY event_id LIMIT 2',
        'SELECT timestamp + INTERVAL 1 HOUR FROM events ORDER BY event_id LIMIT 2',
      ],
      [
        'SELECT * EXCEPT (n) FROM (SELECT event, COUNT(*) AS n FROM events GROUP BY event)',
        'SELECT DISTINCT event FROM events',
      ],
      [
        String.raw`SELECT REGEXP_CONTAINS(path, r'^/maps/\d$'), COUNT(*) FROM events GROUP BY 1`,
        "SELECT regexp_matches(path, '^/maps/[0-9]$'), count(*) FROM events GROUP BY 1",
      ],
      [
        String.raw`SELECT REGEXP_EXTRACT(path, r'/maps/(\d)') FROM events WHERE path LIKE '/maps%' GROUP BY 1`,
        "SELECT regexp_extract(path, '/maps/([0-9])', 1) FROM events WHERE path LIKE '/maps%' GROUP BY 1",
      ],
      [
        "SELECT word FROM UNNEST(['a', 'b']) AS word WITH OFFSET AS at ORDER BY at",
        "SELECT unnest(['a', 'b'])",
      ],
      [
        "SELECT SAFE_CAST(JSON_EXTRACT_SCALAR(properties, '$.price') AS FLOAT64) FROM events WHERE event = 'Order Placed' ORDER BY event_id",
        "SELECT prop_number(properties, 'price') FROM events WHERE event = 'Order Placed' ORDER BY event_id",
      ],
      [
        'SELECT EXTRACT(DAYOFWEEK FROM timestamp), COUNT(*) FROM events GROUP BY 1',
        'SELECT dayofweek(timestamp) + 1, count(*) FROM events GROUP BY 1',
      ],
      [
        "SELECT STRING_AGG(event, ',' ORDER BY event_id) FROM events WHERE session_id = 'session-0-0'",
        "SELECT string_agg(event, ',' ORDER BY event_id) FROM events WHERE session_id = 'session-0-0'",
      ],
      [
        "SELECT ARRAY_AGG(event ORDER BY event_id LIMIT 2) FROM events WHERE session_id = 'session-0-0'",
        "SELECT list(event ORDER BY event_id)[:2] FROM events WHERE session_id = 'session-0-0'",
      ],
      [
        'SELECT event, ROW_NUMBER() OVER (PARTITION BY session_id ORDER BY timestamp) AS n FROM events QUALIFY n = 1',
        'SELECT arg_min(event, event_id), 1 FROM events GROUP BY session_id',
      ],
      [
        'SELECT DATE(timestamp), COUNT(*) FROM events GROUP BY 1',
        'SELECT timestamp::DATE, count(*) FROM events GROUP BY 1',
      ],
      [
        "SELECT IF(utm_source IS NULL, 'direct', utm_source), COUNT(*) FROM events GROUP BY 1",
        "SELECT coalesce(utm_source, 'direct'), count(*) FROM events GROUP BY 1",
      ],
      ['SELECT UNIX_MILLIS(MIN(timestamp)) FROM events', 'SELECT epoch_ms(min(timestamp)) FROM events'],
    ],
    fails: [],
  },
  snowflake: {
    same: [
      [
        'SELECT properties:theme::string, COUNT(*) FROM events GROUP BY 1',
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT properties:items[0].quantity::int FROM events WHERE event = 'Order Placed' ORDER BY event_id",
        "SELECT (properties->'$.items[0].quantity')::INTEGER FROM events WHERE event = 'Order Placed' ORDER BY event_id",
      ],
      [
        'SELECT SUM(properties:price::float) FROM events',
        "SELECT sum(prop_number(properties, 'price')) FROM events",
      ],
      [
        "SELECT IFF(event = 'Order Placed', 1, 0), COUNT(*) FROM events GROUP BY 1",
        "SELECT if(event = 'Order Placed', 1, 0), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT COUNT_IF(event = 'Order Placed') FROM events",
        "SELECT count(*) FILTER (event = 'Order Placed') FROM events",
      ],
      [
        "SELECT NVL(utm_source, 'none'), ZEROIFNULL(NULL) FROM events GROUP BY 1",
        "SELECT coalesce(utm_source, 'none'), 0 FROM events GROUP BY 1",
      ],
      [
        "SELECT DATEDIFF('day', MIN(timestamp), MAX(timestamp)) FROM events",
        "SELECT date_diff('day', min(timestamp), max(timestamp)) FROM events",
      ],
      [
        'SELECT DATEADD(day, -1, timestamp) FROM events ORDER BY event_id LIMIT 2',
        'SELECT timestamp - INTERVAL 1 DAY FROM events ORDER BY event_id LIMIT 2',
      ],
      [
        "SELECT DATE_TRUNC('hour', timestamp), COUNT(*) FROM events GROUP BY 1",
        "SELECT date_trunc('hour', timestamp), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT LISTAGG(event, ',') WITHIN GROUP (ORDER BY event_id) FROM events WHERE session_id = 'session-0-0'",
        "SELECT string_agg(event, ',' ORDER BY event_id) FROM events WHERE session_id = 'session-0-0'",
      ],
      [
        'SELECT event FROM events QUALIFY ROW_NUMBER() OVER (PARTITION BY session_id ORDER BY timestamp DESC) = 1',
        'SELECT arg_max(event, event_id) FROM events GROUP BY session_id',
      ],
      [
        "SELECT TO_CHAR(timestamp, 'YYYY-MM-DD'), COUNT(*) FROM events GROUP BY 1",
        "SELECT strftime(timestamp, '%Y-%m-%d'), count(*) FROM events GROUP BY 1",
      ],
      [
        'SELECT f.value:sku::string, COUNT(*) FROM events, LATERAL FLATTEN(input => properties:items) f GROUP BY 1',
        `SELECT item->>'sku', count(*) FROM (SELECT unnest(from_json(properties->'items', '["JSON"]')) AS item FROM events) GROUP BY 1`,
      ],
      [
        'SELECT ARRAY_AGG(DISTINCT event) WITHIN GROUP (ORDER BY event) FROM events',
        'SELECT list(DISTINCT event ORDER BY event) FROM events',
      ],
      [
        "SELECT event ILIKE 'order%', COUNT(*) FROM events GROUP BY 1",
        "SELECT event ILIKE 'order%', count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT SPLIT_PART(host, '.', 1), CONTAINS(path, 'maps'), STARTSWITH(path, '/m') FROM events GROUP BY ALL",
        "SELECT split_part(host, '.', 1), contains(path, 'maps'), starts_with(path, '/m') FROM events GROUP BY ALL",
      ],
      [
        "SELECT RLIKE(event, 'Order.*'), COUNT(*) FROM events GROUP BY 1",
        "SELECT regexp_full_match(event, 'Order.*'), count(*) FROM events GROUP BY 1",
      ],
      [
        'SELECT DAYOFWEEKISO(timestamp), COUNT(*) FROM events GROUP BY 1',
        'SELECT isodow(timestamp), count(*) FROM events GROUP BY 1',
      ],
      ["SELECT TRY_TO_NUMBER('12'), TO_DATE('2026-01-05')", "SELECT 12, DATE '2026-01-05'"],
      [
        'SELECT event, RATIO_TO_REPORT(COUNT(*)) OVER () FROM events GROUP BY event',
        'SELECT event, count(*) / sum(count(*)) OVER () FROM events GROUP BY event',
      ],
      [
        "SELECT CONVERT_TIMEZONE('UTC', 'America/New_York', '2026-01-05 12:00:00'::timestamp_ntz)",
        "SELECT TIMESTAMP '2026-01-05 07:00:00'",
      ],
    ],
    fails: [],
  },
  databricks: {
    same: [
      [
        'SELECT properties:theme, count(*) FROM events GROUP BY 1',
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT properties:price::double FROM events WHERE event = 'Order Placed' ORDER BY event_id",
        "SELECT prop_number(properties, 'price') FROM events WHERE event = 'Order Placed' ORDER BY event_id",
      ],
      [
        "SELECT date_trunc('WEEK', timestamp), count(DISTINCT person_id) FROM events GROUP BY ALL",
        "SELECT date_trunc('week', timestamp), count(DISTINCT person_id) FROM events GROUP BY ALL",
      ],
      [
        'SELECT dateadd(DAY, 1, timestamp) FROM events ORDER BY event_id LIMIT 2',
        'SELECT timestamp + INTERVAL 1 DAY FROM events ORDER BY event_id LIMIT 2',
      ],
      [
        'SELECT datediff(HOUR, min(timestamp), max(timestamp)) FROM events',
        "SELECT date_diff('hour', min(timestamp), max(timestamp)) FROM events",
      ],
      [
        "SELECT date_format(timestamp, 'yyyy-MM'), count(*) FROM events GROUP BY 1",
        "SELECT strftime(timestamp, '%Y-%m'), count(*) FROM events GROUP BY 1",
      ],
      [
        'SELECT event, count(*) FROM events GROUP BY event QUALIFY row_number() OVER (ORDER BY count(*) DESC, event) <= 2',
        'SELECT event, count(*) FROM events GROUP BY event ORDER BY 2 DESC, 1 LIMIT 2',
      ],
      [
        "SELECT get_json_object(properties, '$.sku'), count(*) FROM events GROUP BY 1",
        "SELECT prop(properties, 'sku'), count(*) FROM events GROUP BY 1",
      ],
      ['SELECT try_divide(10, count(*)) FROM events WHERE false', 'SELECT NULL'],
      [
        "SELECT event ilike 'order%', count(*) FROM events GROUP BY 1",
        "SELECT event ILIKE 'order%', count(*) FROM events GROUP BY 1",
      ],
      ["SELECT try_cast('x' AS int), ifnull(NULL, 1)", 'SELECT NULL, 1'],
      [
        "SELECT array_contains(collect_list(event), 'Order Placed') FROM events GROUP BY session_id",
        "SELECT bool_or(event = 'Order Placed') FROM events GROUP BY session_id",
      ],
      [
        "SELECT to_date('2026-01-05'), year(timestamp) FROM events GROUP BY ALL",
        "SELECT DATE '2026-01-05', year(timestamp) FROM events GROUP BY ALL",
      ],
      ['SELECT event FROM events TABLESAMPLE (100 PERCENT) GROUP BY 1', 'SELECT DISTINCT event FROM events'],
      [
        'SELECT * EXCEPT (n) FROM (SELECT event, count(*) AS n FROM events GROUP BY event)',
        'SELECT DISTINCT event FROM events',
      ],
    ],
    fails: [],
  },
  spark: {
    same: [
      [
        'SELECT `event`, count(*) FROM events GROUP BY `event`',
        'SELECT event, count(*) FROM events GROUP BY event',
      ],
      [
        "SELECT date_format(timestamp, 'yyyy-MM-dd'), count(*) FROM events GROUP BY 1",
        "SELECT strftime(timestamp, '%Y-%m-%d'), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT get_json_object(properties, '$.theme'), count(*) FROM events GROUP BY 1",
        "SELECT prop(properties, 'theme'), count(*) FROM events GROUP BY 1",
      ],
      [
        'SELECT datediff(max(timestamp), min(timestamp)) FROM events',
        "SELECT date_diff('day', min(timestamp), max(timestamp)) FROM events",
      ],
      [
        'SELECT date_add(to_date(timestamp), 1), count(*) FROM events GROUP BY 1',
        'SELECT timestamp::DATE + 1, count(*) FROM events GROUP BY 1',
      ],
      [
        "SELECT date_trunc('DAY', timestamp), approx_count_distinct(event) FROM events GROUP BY 1",
        "SELECT date_trunc('day', timestamp), approx_count_distinct(event) FROM events GROUP BY 1",
      ],
      [
        "SELECT nvl(utm_source, 'none'), count(*) FROM events GROUP BY 1",
        "SELECT coalesce(utm_source, 'none'), count(*) FROM events GROUP BY 1",
      ],
      ['SELECT size(collect_set(event)) FROM events', 'SELECT count(DISTINCT event) FROM events'],
      [
        "SELECT concat_ws(',', sort_array(collect_list(event))) FROM events WHERE session_id = 'session-0-0'",
        "SELECT string_agg(event, ',' ORDER BY event) FROM events WHERE session_id = 'session-0-0'",
      ],
      [
        "SELECT word, count(*) FROM events LATERAL VIEW explode(split(event, ' ')) t AS word GROUP BY word",
        "SELECT word, count(*) FROM (SELECT unnest(string_split(event, ' ')) AS word FROM events) GROUP BY word",
      ],
      [
        "SELECT count_if(event = 'Order Placed') FROM events",
        "SELECT count(*) FILTER (event = 'Order Placed') FROM events",
      ],
      [
        "SELECT event RLIKE '^Order', count(*) FROM events GROUP BY 1",
        "SELECT regexp_matches(event, '^Order'), count(*) FROM events GROUP BY 1",
      ],
      ['SELECT percentile(event_id, 0.5) FROM events', 'SELECT quantile_cont(event_id, 0.5) FROM events'],
      [
        'SELECT unix_timestamp(min(timestamp)) FROM events',
        'SELECT epoch(min(timestamp))::BIGINT FROM events',
      ],
      [
        "SELECT if(event = 'Order Placed', 1, 0), count(*) FROM events GROUP BY 1",
        "SELECT if(event = 'Order Placed', 1, 0), count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT split(path, '/')[1], count(*) FROM events GROUP BY 1",
        "SELECT string_split(path, '/')[2], count(*) FROM events GROUP BY 1",
      ],
      [
        "SELECT first(event), element_at(array('a', 'b'), 2) FROM events WHERE event = 'Order Placed'",
        "SELECT 'Order Placed', 'b'",
      ],
    ],
    fails: [],
  },
}
