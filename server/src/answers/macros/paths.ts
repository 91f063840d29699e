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
import type { TableMacro } from './tableMacro.js'

export const paths: TableMacro = {
  name: 'paths',
  comment: 'Where sessions go from a page, step by step; to_path is NULL where they end.',
  parameters: [['start', 'NULL'], ['depth', '3'], ...range, ...choice, among],
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
    amongIds,
    [
      'visited',
      `SELECT e.session_key, ${orderKey} AS key, e.path
       FROM ${eventsAmong} e
       WHERE ${isAsked} AND e.event = '$pageview' AND e.session_key IS NOT NULL AND e.path IS NOT NULL`,
    ],
    // To sort takes most of the time, so views before the first one of `start` are left out first.
    [
      'began',
      `SELECT v.session_key, min(v.key) AS key FROM visited v WHERE v.path = start GROUP BY v.session_key`,
    ],
    [
      'followed',
      `SELECT v.* FROM visited v WHERE start IS NULL
       UNION ALL SELECT v.* FROM visited v JOIN began b ON b.session_key = v.session_key AND v.key >= b.key`,
    ],
    // Several views of one path may follow each other. Only the last of them leads to the next path.
    [
      'moved',
      `SELECT v.session_key, v.key, v.path, lead(v.path) OVER w AS next_path FROM followed v
       WINDOW w AS (PARTITION BY v.session_key ORDER BY v.key)
       QUALIFY v.path IS DISTINCT FROM lead(v.path) OVER w`,
    ],
    [
      'walked',
      `SELECT row_number() OVER (PARTITION BY v.session_key ORDER BY v.key) AS step, v.path AS from_path,
         v.next_path AS to_path
       FROM moved v`,
    ],
    [
      'answer',
      `SELECT w.step::INTEGER AS step, w.from_path, w.to_path, count(*) AS sessions
       FROM walked w WHERE w.step <= depth::INTEGER GROUP BY ALL`,
    ],
  ],
  order: '1, 4 DESC, 2, 3',
}
