import { derivedComments, screenClassSql, utmColumns } from '../../schema/derivedColumns.js'
import { senderColumns } from '../../schema/sessionTable.js'
import {
  choice,
  choiceProblems,
  countPeople,
  movedIds,
  people,
  peopleProblem,
  personKeyOf,
  range,
} from '../../schema/askedEvents.js'
import { quoteText, type View } from '../../duckdb/quote.js'
import type { TableMacro } from './tableMacro.js'

/** A visit with as much engaged time is no bounce: the ten seconds of an "engaged session" in Google Analytics 4. */
const leastEngagedSeconds = 10

const firstComment = (name: string) => `The first ${name} that an event has.`

const columns: View['columns'] = [
  ['environment', 's.environment', 'The environment that the session belongs to.'],
  ['session_id', 's.session_id', 'The visit, as sent. Events without one are in no session.'],
  [
    'person_id',
    'coalesce(m.person_id, s.last_id)',
    'The person of its last event that names one, as in events and persons.',
  ],
  ['device_id', 's.device_id', 'The device, as sent.'],
  ['started_at', 's.started_at', 'When its first event happened.'],
  ['ended_at', 's.ended_at', 'When its last event happened.'],
  [
    'duration_seconds',
    '(epoch_us(s.ended_at)::DOUBLE - epoch_us(s.started_at)) / 1e6',
    'From the first event to the last; 0 where there is only one.',
  ],
  ['entry', "nullif(s.entry_path, '')", 'The path of the first page view.'],
  ['exit', "nullif(s.exit_path, '')", 'The path of the last page view.'],
  ['page_views', 's.page_views', 'How many page views there are.'],
  ['events', 's.events', 'How many events there are, page views included.'],
  [
    'engaged_seconds',
    's.engaged_seconds',
    'How long its pages were visible, as the plugin engagement records it; NULL without.',
  ],
  [
    'bounced',
    `CASE WHEN s.page_views > 0
      THEN s.page_views = 1 AND coalesce(s.engaged_seconds < ${leastEngagedSeconds}, true) END`,
    'Whether there is one page view, and less than 10 engaged seconds; NULL without a page view.',
  ],
  ['referrer', 's.referrer', 'The first referrer that is another site than the page itself.'],
  ['referrer_host', 's.referrer_host', 'The host of referrer.'],
  [
    'channel',
    's.channel',
    'What brought it: direct, search, social, mail, paid, referral or AI assistant, by the columns around this one.',
  ],
  ...[...utmColumns, 'click_id', ...senderColumns].map(
    (name) => [name, `s.${name}`, firstComment(name)] as const,
  ),
  ['screen_class', screenClassSql('s.viewport'), 'phone, tablet or desktop, by the first viewport.'],
  ['anonymous', 's.anonymous', derivedComments.anonymous],
  ['bot', 's.bot', 'Why no person seems to have done it: the verdict about one of its events; else NULL.'],
]

const withPerson = (sessions: string, isJoined = 'true') => `(
    SELECT *, visible_ms / 1000 AS engaged_seconds FROM ${sessions}
  ) s LEFT JOIN ${movedIds} m ON ${isJoined} AND m.id_key = s.id_key`

const sessions = withPerson('analytics.raw.marked_sessions')

export const sessionViews: readonly View[] = [
  {
    name: 'all_sessions',
    comment: 'Every session, one a row, those of bots too.',
    from: `${sessions} LEFT JOIN analytics.raw.suspects q ON q.session_key = s.session_key`,
    columns: [
      ...columns,
      [
        'suspect',
        'q.suspect',
        'Why its behaviour is not that of a person; else NULL. It counts as long as suspects are not left out.',
      ],
    ],
  },
  {
    name: 'sessions',
    comment: 'Every session, one a row, without those of bots.',
    from: `${sessions} WHERE s.bot IS NULL`,
    columns: columns.filter(([name]) => name !== 'bot'),
  },
]

const list = columns.map(([name, sql]) => `${sql} AS ${name}`).join(', ')

const asked: TableMacro['tables'][number] = [
  'asked',
  `SELECT s.* FROM analytics.raw.marked_sessions s
   WHERE s.environment = environment AND (bots OR s.bot IS NULL)
     AND (from_time IS NULL OR s.started_at >= from_time::TIMESTAMPTZ)
     AND (until_time IS NULL OR s.started_at < until_time::TIMESTAMPTZ)`,
]

/** The sessions of a range. */
export const sessionsOfRange: TableMacro = {
  name: 'sessions',
  comment: 'The sessions that began in a range, one a row.',
  parameters: [...range, ...choice],
  columns: columns.map(([name]) => name),
  problems: choiceProblems,
  tables: [asked, ['answer', `SELECT ${list} FROM ${withPerson('asked')}`]],
}

const texts = [
  'entry',
  'exit',
  'referrer',
  'referrer_host',
  'channel',
  ...utmColumns,
  'click_id',
  ...senderColumns,
  'screen_class',
]
const sqlOf = (name: string) => columns.find(([column]) => column === name)![1]

/** It compares the keys of persons, where a statement over `sessions(…)` compares texts. */
export const sessionBreakdown: TableMacro = {
  name: 'session_breakdown',
  comment: 'The figures of the sessions with each value of a column.',
  parameters: [['property'], ...range, ...choice, people],
  columns: [
    'value',
    'people',
    'sessions',
    'bounce_rate',
    'pages',
    'median_seconds',
    'median_engaged_seconds',
  ],
  problems: [
    ...choiceProblems,
    peopleProblem,
    [
      `property NOT IN (${texts.map(quoteText).join(', ')})`,
      `'property is ''' || property || '''. Name a column of sessions, or NULL for all of them: ${texts.join(', ')}.'`,
    ],
  ],
  tables: [
    asked,
    [
      'answer',
      `SELECT CASE property ${texts.map((name) => `WHEN ${quoteText(name)} THEN ${sqlOf(name)}`).join(' ')} END AS value,
         ${countPeople(personKeyOf('s.id_key'))} AS people,
         count(*) AS sessions, avg((${sqlOf('bounced')})::INTEGER) AS bounce_rate, avg(s.page_views) AS pages,
         median(${sqlOf('duration_seconds')}) AS median_seconds, median(s.engaged_seconds) AS median_engaged_seconds
       FROM ${withPerson('asked', 'people')} GROUP BY 1`,
    ],
  ],
  order: '3 DESC, 1',
}
