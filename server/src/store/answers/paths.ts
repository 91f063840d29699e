import { choice, choiceProblems, isAsked, orderKey, range } from './askedEvents.js'
import { pathOf } from '../urlParts.js'
import type { TableMacro } from './tableMacro.js'

export const paths: TableMacro = {
  name: 'paths',
  comment: 'Where sessions go from a page, step by step; to_path is NULL where they end.',
  parameters: [['start', 'NULL'], ['depth', '3'], ...range, ...choice],
  columns: ['step', 'from_path', 'to_path', 'sessions'],
  problems: [
    ...choiceProblems,
    [
      `(depth::INTEGER BETWEEN 1 AND 100) IS NOT TRUE`,
      `'depth is ' || coalesce(depth::VARCHAR, 'NULL') || '. Write how many steps to follow, from 1 to 100.'`,
    ],
    [
      `NOT starts_with(start, '/')`,
      `'start is ''' || start || '''. Write a path that begins with /, such as ''/pricing'', or NULL for the page on which each session begins.'`,
    ],
  ],
  tables: [
    [
      'visited',
      `SELECT e.session_id, ${orderKey} AS key, ${pathOf('e.url')} AS path FROM analytics.raw.all_events e
       WHERE ${isAsked} AND e.event = '$pageview' AND e.session_id IS NOT NULL AND e.url IS NOT NULL`,
    ],
    [
      'moved',
      `SELECT v.session_id, v.key, v.path FROM visited v WHERE v.path IS NOT NULL
       QUALIFY v.path IS DISTINCT FROM lag(v.path) OVER (PARTITION BY v.session_id ORDER BY v.key)`,
    ],
    [
      'began',
      `SELECT v.session_id, min(v.key) AS key FROM moved v WHERE start IS NULL OR v.path = start GROUP BY v.session_id`,
    ],
    [
      'walked',
      `SELECT row_number() OVER w AS step, v.path AS from_path, lead(v.path) OVER w AS to_path
       FROM moved v JOIN began b ON b.session_id = v.session_id AND v.key >= b.key
       WINDOW w AS (PARTITION BY v.session_id ORDER BY v.key)`,
    ],
    [
      'answer',
      `SELECT w.step::INTEGER AS step, w.from_path, w.to_path, count(*) AS sessions
       FROM walked w WHERE w.step <= depth::INTEGER GROUP BY ALL`,
    ],
  ],
  order: '1, 4 DESC, 2, 3',
}
