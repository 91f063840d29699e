import { readAsk, statementOf } from '../../server/dist/answers/answers.js'
import { questionsIn } from './questions.mjs'

const steps = `'$pageview', 'Map Viewed', 'Added to Basket', 'Order Placed'`
const weekUs = 7 * 86_400_000_000

/** What ClickHouse has of a shop: only columns that are asked for, and persons and sessions as numbers. */
export const tables = {
  events: {
    columns: `us UInt64, at DateTime64(6, 'UTC'), event LowCardinality(String), person UInt32, session UInt32,
      path LowCardinality(String), touch Bool, utm_source LowCardinality(String)`,
    rows: `SELECT epoch_us("timestamp")::UBIGINT AS us, timezone('UTC', "timestamp") AS at, event,
      p.number AS person, s.number AS session, coalesce(path, '') AS path,
      coalesce(referrer NOT LIKE 'https://shop.example/%', false) OR utm_source IS NOT NULL AS touch,
      coalesce(utm_source, '') AS utm_source
      FROM events e JOIN persons_numbered p USING (person_id) JOIN sessions_numbered s USING (session_id)`,
  },
  sessions: {
    columns: `us UInt64, person UInt32, seconds Float64, page_views UInt32, bounced Nullable(UInt8),
      channel LowCardinality(String), browser LowCardinality(String), country LowCardinality(String)`,
    rows: `SELECT epoch_us(started_at)::UBIGINT AS us, p.number AS person, duration_seconds AS seconds,
      page_views::UINTEGER AS page_views, bounced::UTINYINT AS bounced, channel, browser, country
      FROM sessions JOIN persons_numbered p USING (person_id)`,
  },
}

const counted = 'count() AS times, uniqExact(person) AS people'
/** What the overview ranks: the columns that are counted, and from where. */
const rankings = {
  path: { counts: counted, from: `events WHERE event = '$pageview' AND` },
  event: { counts: counted, from: 'events WHERE' },
  channel: { counts: `${counted}, avg(bounced) AS bounce_rate`, from: 'sessions WHERE' },
  browser: { counts: `${counted}, avg(bounced) AS bounce_rate`, from: 'sessions WHERE' },
  country: { counts: `${counted}, avg(bounced) AS bounce_rate`, from: 'sessions WHERE' },
}

/**
 * The same questions for both, in a range or without one. `columns` are those whose cells are compared; ClickHouse gives
 * them in this order.
 */
export const pairsIn = (range) => {
  const [from, until] = range ?? []
  const us = (day) => Date.parse(day) * 1000
  const isIn = range ? `us >= ${us(from)} AND us < ${us(until)}` : 'true'
  const isUntil = range ? `us < ${us(until)}` : 'true'
  const isNear = range ? `us >= ${us(from)} AND us < ${us(until) + weekUs}` : 'true'
  const [periodOf, daysOf] = range ? ['toDate', 1] : ['toMonday', 7]
  const isNew = range ? `HAVING cohort >= '${from}'` : ''
  const own = questionsIn(range && `'${from}', '${until}'`)
  const answer = (name, more) => statementOf(readAsk({ name, ...(range && { from, until }), ...more }))
  const ranking = ([by, { counts, from: rows }]) => ({
    columns: ['value', 'times', 'people', ...(counts === counted ? [] : ['bounce_rate'])],
    waymark: answer('ranking', { by }),
    clickhouse: `SELECT ${by} AS value, ${counts} FROM ${rows} ${isIn} GROUP BY value ORDER BY times DESC, value LIMIT 10`,
  })
  return {
    funnel: [
      {
        columns: ['step', 'people'],
        waymark: own.funnel,
        clickhouse: `SELECT step, count() FROM (
          SELECT windowFunnel(${weekUs})(us, event = '$pageview' AND ${isUntil}, event = 'Map Viewed', event = 'Added to Basket', event = 'Order Placed') AS level
          FROM events WHERE event IN (${steps}) AND ${isNear} GROUP BY person
        ) ARRAY JOIN range(1, level + 1) AS step GROUP BY step`,
      },
    ],
    retention: [
      {
        columns: ['cohort', 'size', 'period', 'people'],
        isCompared: ({ people }) => people !== '0',
        waymark: own.retention,
        clickhouse: `SELECT cohort, size, m.1 AS period, m.2 AS people FROM (
          SELECT cohort, count() AS size, sumMap(periods, arrayMap(p -> 1, periods)) AS sums FROM (
            SELECT arraySort(groupArray(${periodOf}(at))) AS days, days[1] AS cohort,
              arrayDistinct(arrayMap(d -> intDiv(d - cohort, ${daysOf}), arrayPopFront(days))) AS periods
            FROM events WHERE event = '$pageview' AND ${isUntil} GROUP BY person ${isNew}
          ) GROUP BY cohort
        ) ARRAY JOIN arrayZip(sums.1, sums.2) AS m`,
      },
    ],
    people: [
      {
        columns: ['people'],
        waymark: `SELECT people FROM totals(${range ? `'${from}', '${until}'` : ''})`,
        clickhouse: `SELECT uniqExact(person) FROM events WHERE ${isIn}`,
      },
    ],
    paths: [
      {
        columns: ['step', 'from_path', 'to_path', 'sessions'],
        waymark: own.paths,
        clickhouse: `SELECT m.1, m.2, nullIf(m.3, ''), count() FROM (
          SELECT arrayCompact(arraySort((page, at) -> at, groupArray(path), groupArray(us))) AS pages,
            arraySlice(pages, indexOf(pages, '/'), 4) AS walk, arraySlice(walk, 1, 3) AS begun
          FROM events WHERE event = '$pageview' AND path != '' AND ${isIn} GROUP BY session HAVING has(pages, '/')
        ) ARRAY JOIN arrayZip(arrayEnumerate(begun), begun, arrayResize(arraySlice(walk, 2), length(begun), '')) AS m GROUP BY m`,
      },
    ],
    'first touch': [
      {
        columns: ['utm_source', 'count_star()'],
        waymark: own['first touch'],
        clickhouse: `SELECT nullIf(source, ''), count() FROM (
          SELECT argMinIf(utm_source, us, touch) AS source FROM events WHERE ${isIn} GROUP BY person
        ) GROUP BY source`,
      },
    ],
    overview: [
      {
        columns: [
          ...['people', 'sessions', 'page_views', 'events'],
          ...['duration', 'bounce_rate', 'pages_per_session'],
        ],
        waymark: answer('totals'),
        clickhouse: `SELECT * FROM
          (SELECT uniqExact(person), uniqExact(session), countIf(event = '$pageview'), count() FROM events WHERE ${isIn}) e,
          (SELECT quantileExactInclusive(0.5)(seconds), avg(bounced), avg(page_views) FROM sessions WHERE ${isIn}) s`,
      },
      {
        columns: ['day', 'people', 'sessions', 'page_views', 'events'],
        waymark: answer('daily'),
        clickhouse: `SELECT toDate(at), uniqExact(person), uniqExact(session), countIf(event = '$pageview'), count()
          FROM events WHERE ${isIn} GROUP BY 1`,
      },
      ...Object.entries(rankings).map(ranking),
    ],
  }
}
