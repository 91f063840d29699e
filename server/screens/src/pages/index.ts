import type { Page } from '../shell/Page'
import { Alerts } from './alerts/Alerts'
import { Boards } from './boards/Boards'
import { Bots } from './bots/Bots'
import { Errors } from './errors/Errors'
import { Explore } from './explore/Explore'
import { readMeasure } from './explore/measures'
import { Funnel } from './funnel/Funnel'
import { Live } from './live/Live'
import { Overview } from './overview/Overview'
import { Paths } from './paths/Paths'
import { Persons } from './persons/Persons'
import { Plan } from './plan/Plan'
import { Retention } from './retention/Retention'
import { SetUp } from './setup/SetUp'
import { SqlPage } from './sql/SqlPage'
import { Vitals } from './vitals/Vitals'

/** In the order of the navigation; pages of a group stand together. */
export const pages: readonly Page[] = [
  { path: '/app/', title: 'Overview', group: 'Dashboards', view: Overview, counts: 'sessions' },
  {
    path: '/app/boards',
    title: 'Boards',
    group: 'Dashboards',
    view: Boards,
    controls: (search) => (search.has('id') ? ['environment', 'range', 'bots', 'anonymous'] : []),
    counts: (search) => (search.has('id') ? 'sessions' : undefined),
  },
  {
    path: '/app/explore',
    title: 'Explore',
    group: 'Analysis',
    view: Explore,
    counts: (search) => readMeasure(search).of,
    controls: (search) => [
      'environment',
      'range',
      'bots',
      ...(readMeasure(search).isOfDays ? (['anonymous'] as const) : []),
    ],
  },
  {
    path: '/app/funnel',
    title: 'Funnel',
    group: 'Analysis',
    view: Funnel,
    counts: 'people',
    controls: ['environment', 'range', 'bots', 'anonymous'],
  },
  {
    path: '/app/retention',
    title: 'Retention',
    group: 'Analysis',
    view: Retention,
    counts: 'people',
    controls: ['environment', 'range', 'bots', 'anonymous'],
  },
  { path: '/app/paths', title: 'Paths', group: 'Analysis', view: Paths, counts: 'people' },
  {
    path: '/app/persons',
    title: 'People',
    group: 'Activity',
    view: Persons,
    // All that is known of one person is shown, whenever it was.
    controls: (search) => (search.has('id') ? ['environment'] : ['environment', 'range', 'bots']),
    counts: (search) => (search.has('id') ? undefined : 'people'),
  },
  {
    path: '/app/live',
    title: 'Live',
    group: 'Activity',
    view: Live,
    controls: ['environment', 'bots'],
    counts: 'events',
  },
  { path: '/app/vitals', title: 'Vitals', group: 'Monitoring', view: Vitals, counts: 'events' },
  { path: '/app/errors', title: 'Errors', group: 'Monitoring', view: Errors, counts: 'events' },
  { path: '/app/bots', title: 'Bots', group: 'Monitoring', view: Bots, controls: ['environment', 'range'] },
  { path: '/app/alerts', title: 'Alerts', group: 'Monitoring', view: Alerts, controls: ['environment'] },
  { path: '/app/plan', title: 'Plan', group: 'Data', view: Plan, counts: 'events' },
  { path: '/app/sql', title: 'SQL', group: 'Data', view: SqlPage, controls: [] },
  { path: '/app/setup', title: 'Set up', group: 'Data', view: SetUp, controls: ['environment'] },
]
