import { joinSql, type Sql, sql } from '../../data/sql'
import type { Scope } from '../../shell/scope'

/** A folder with more pages than that is shown as one. */
export const mostChildren = 5
/** A page may lead to thousands of others. */
export const mostPages = { few: 7, many: 20 }

/** What the address asks. */
export interface PathsQuestion {
  /** Empty for the page on which each session begins. */
  start: string
  depth: number
  /** Patterns such as `/user/*`, whose pages are one. */
  fold: readonly string[]
  /** Folders such as `/maps/`, which are not folded by themselves. */
  open: readonly string[]
  /** The pages of each place that are shown; the others are one. */
  most: number
}

type Asking = Pick<Scope, 'environment' | 'bots' | 'range'>

/** A pattern for LIKE, in which `*` is any text. */
const toLike = (pattern: string) => pattern.replaceAll(/[!%_]/g, '!$&').replaceAll('*', '%')

/** What a page is shown as: a pattern, its folder, or its own path. A path of the start is never folded. */
function nameOf({ start, fold, open }: PathsQuestion): Sql {
  const patterns = fold.map((pattern) => sql`WHEN path LIKE ${toLike(pattern)} ESCAPE '!' THEN ${pattern}`)
  const opened =
    open.length > 0
      ? sql` AND folder NOT IN (${joinSql(
          open.map((each) => sql`${each}`),
          ', ',
        )})`
      : sql``
  return sql`CASE WHEN path = ${start} THEN path
    ${joinSql([...patterns, sql`WHEN folder <> ''${opened} AND count(*) OVER (PARTITION BY folder) > ${mostChildren} THEN folder || '*'`], '\n    ')}
    ELSE path END`
}

/**
 * `[step, from_name, from_pages, to_name, to_pages, sessions]`: where sessions went. A name stands for so many pages;
 * the empty name is that of all pages of a place that are not shown. Without `to_name` the session ended.
 */
export function paths({ range, environment, bots }: Asking, question: PathsQuestion): Sql {
  const { start, depth, most } = question
  const shown = (place: Sql, name: Sql) => sql`CASE WHEN ${place}.rank <= ${most} THEN ${name} ELSE '' END`
  const pages = (place: Sql) =>
    sql`CASE WHEN ${place}.rank <= ${most} THEN ${place}.pages ELSE ${place}.names - ${most} END`
  return sql`WITH ways AS (
  SELECT step, from_path, to_path, sessions
  FROM analytics.paths(
    ${start || null}, ${depth},
    from_time := ${range.from}, until_time := ${range.until},
    environment := ${environment}, bots := ${bots}
  )
), seen AS (
  SELECT DISTINCT path, regexp_extract(path, '^(/.+/)[^/]+/?$', 1) AS folder
  FROM (SELECT from_path AS path FROM ways UNION ALL SELECT to_path FROM ways)
  WHERE path IS NOT NULL
), named AS (
  SELECT path, ${nameOf(question)} AS name
  FROM seen
), folded AS (
  SELECT path, name, count(*) OVER (PARTITION BY name) AS pages FROM named
), moves AS (
  SELECT w.step, f.name AS from_name, t.name AS to_name, sum(w.sessions)::BIGINT AS sessions
  FROM ways w JOIN folded f ON f.path = w.from_path LEFT JOIN folded t ON t.path = w.to_path
  GROUP BY ALL
), places AS (
  SELECT place, name, (SELECT any_value(pages) FROM folded f WHERE f.name = p.name) AS pages,
    row_number() OVER (PARTITION BY place ORDER BY sum(sessions) DESC, name) AS rank,
    count(*) OVER (PARTITION BY place) AS names
  FROM (
    SELECT step - 1 AS place, from_name AS name, sessions FROM moves
    UNION ALL
    SELECT step, to_name, sessions FROM moves WHERE step = ${depth} AND to_name IS NOT NULL
  ) p
  GROUP BY place, name
)
SELECT m.step, ${shown(sql`f`, sql`m.from_name`)} AS from_name, ${pages(sql`f`)} AS from_pages,
  CASE WHEN m.to_name IS NOT NULL THEN ${shown(sql`t`, sql`m.to_name`)} END AS to_name,
  CASE WHEN m.to_name IS NOT NULL THEN ${pages(sql`t`)} END AS to_pages, sum(m.sessions)::BIGINT AS sessions
FROM moves m
JOIN places f ON f.place = m.step - 1 AND f.name = m.from_name
LEFT JOIN places t ON t.place = m.step AND t.name = m.to_name
GROUP BY ALL
ORDER BY m.step, sessions DESC, from_name, to_name`
}
