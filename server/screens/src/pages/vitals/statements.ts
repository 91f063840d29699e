import { type Asking, conditionsByEventId, where } from '../../data/conditions'
import { type Sql, sql } from '../../data/sql'
import type { Vital } from './metrics'

export const mostPages = 50
/** A 75th percentile of fewer measurements says little, so such pages come last. */
export const fewMeasurements = 10

const measured = (asking: Asking, more: readonly Sql[] = []): Sql => {
  const { environment, bots, range } = asking
  return sql`analytics.web_vitals(
  ${range.from}, ${range.until}, environment := ${environment}, bots := ${bots}
)${where([...more, ...conditionsByEventId(asking)])}`
}

const p75 = sql`quantile_cont(value, 0.75)`

/** `[metric, p75, rating, measurements, good, needs_improvement, poor]` */
export const overall = (
  asking: Asking,
): Sql => sql`SELECT metric, p75, analytics.vital_rating(metric, p75) AS rating,
  measurements, good, needs_improvement, poor
FROM (
  SELECT metric, ${p75} AS p75, count(*) AS measurements,
    count(*) FILTER (rating = 'good') AS good,
    count(*) FILTER (rating = 'needs improvement') AS needs_improvement,
    count(*) FILTER (rating = 'poor') AS poor
  FROM ${measured(asking)}
  GROUP BY metric
)`

const ofMetric = (asking: Asking, { name }: Vital) => measured(asking, [sql`metric = ${name}`])

/** `[time, p75]` */
export const byTime = (
  asking: Asking,
  vital: Vital,
): Sql => sql`SELECT date_trunc(${asking.range.unit}, "timestamp") AS "time", ${p75} AS p75
FROM ${ofMetric(asking, vital)}
GROUP BY ALL
ORDER BY "time"`

/** `[path, device, p75, rating, measurements]`: each page, and each of its devices; of a page as a whole the device is `all`. */
export const byPage = (asking: Asking, vital: Vital): Sql => sql`WITH measured AS (
  SELECT path, coalesce(device, 'unknown') AS device, value
  FROM ${ofMetric(asking, vital)}
), slowest AS (
  SELECT path, ${p75} AS p75, count(*) AS measurements
  FROM measured
  GROUP BY path
  ORDER BY measurements >= ${fewMeasurements} DESC, p75 DESC, path
  LIMIT ${mostPages}
), every AS (
  SELECT path, 'all' AS device, p75, measurements FROM slowest
  UNION ALL
  SELECT m.path, m.device, quantile_cont(m.value, 0.75), count(*)
  FROM measured m JOIN slowest s ON s.path IS NOT DISTINCT FROM m.path
  GROUP BY m.path, m.device
)
SELECT e.path, e.device, e.p75, analytics.vital_rating(${vital.name}, e.p75) AS rating, e.measurements
FROM every e JOIN slowest s ON s.path IS NOT DISTINCT FROM e.path
ORDER BY s.measurements >= ${fewMeasurements} DESC, s.p75 DESC, e.path, e.measurements DESC`
