import {
  among,
  amongIds,
  choice,
  choiceProblems,
  eventsAmong,
  isAsked,
  orderKey,
  range,
} from '../../schema/askedEvents.js'
import { maxMoves } from '../../duckdb/histories.js'
import type { TableMacro } from './tableMacro.js'

export const paths: TableMacro = {
  name: 'paths',
  comment: 'Where sessions go from a page, step by step; to_path is NULL where they end.',
  parameters: [['start', 'NULL'], ['depth', '3'], ...range, ...choice, among],
  columns: ['step', 'from_path', 'to_path', 'sessions'],
  problems: [
    ...choiceProblems,
    [
      `(depth::INTEGER BETWEEN 1 AND ${maxMoves}) IS NOT TRUE`,
      `'depth is ' || coalesce(depth::VARCHAR, 'NULL') || '. Write how many steps to follow, from 1 to ${maxMoves}.'`,
    ],
    [
      `NOT starts_with(start, '/')`,
      `'start is ''' || start || '''. Write a path that begins with /, such as ''/pricing'', or NULL for the page on which each session begins.'`,
    ],
  ],
  tables: [
    amongIds,
    [
      'visited',
      `SELECT e.session_key, ${orderKey} AS key, e.path
       FROM ${eventsAmong} e
       WHERE ${isAsked} AND e.event = '$pageview' AND e.session_key IS NOT NULL AND e.path IS NOT NULL`,
    ],
    // Pages are numbers on the way, because texts take several times as long.
    [
      'visits',
      `SELECT list(v.key) AS keys, list(hash(v.path)) AS pages FROM visited v GROUP BY v.session_key`,
    ],
    [
      'walked',
      `SELECT system.main.waymark_walk(v.keys, v.pages, CASE WHEN start IS NULL THEN 0::UBIGINT ELSE hash(start) END) AS pages FROM visits v`,
    ],
    [
      'moved',
      `SELECT s.step, w.pages[s.step] AS from_page, w.pages[s.step + 1] AS to_page, count(*) AS sessions
       FROM walked w, (SELECT unnest(range(1, least(depth::INTEGER, ${maxMoves}) + 1)) AS step) s
       WHERE w.pages[s.step] <> 0 GROUP BY ALL`,
    ],
    ['named', `SELECT hash(v.path) AS page, any_value(v.path) AS path FROM visited v GROUP BY hash(v.path)`],
    [
      'answer',
      `SELECT m.step::INTEGER AS step, f.path AS from_path, t.path AS to_path, m.sessions
       FROM moved m JOIN named f ON f.page = m.from_page LEFT JOIN named t ON t.page = m.to_page`,
    ],
  ],
  order: '1, 4 DESC, 2, 3',
}
