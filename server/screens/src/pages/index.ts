import type { Page } from '../shell/Page'
import { Boards } from './boards/Boards'
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

/** In the order of the navigation. */
export const pages: readonly Page[] = [
  { path: '/app/', title: 'Overview', view: Overview, counts: 'sessions' },
  {
    path: '/app/boards',
    title: 'Boards',
    view: Boards,
    controls: (search) => (search.has('id') ? ['environment', 'range', 'bots', 'anonymous'] : []),
    counts: (search) => (search.has('id') ? 'sessions' : undefined),
  },
  { path: '/app/explore', title: 'Explore', view: Explore, counts: (search) => readMeasure(search).of },
  {
    path: '/app/live',
    title: 'Live',
    view: Live,
    controls: ['environment', 'bots'],
  },
  {
    path: '/app/persons',
    title: 'People',
    view: Persons,
    // All that is known of one person is shown, whenever it was.
    controls: (search) => (search.has('id') ? ['environment'] : ['environment', 'range', 'bots']),
    counts: (search) => (search.has('id') ? undefined : 'people'),
  },
  {
    path: '/app/funnel',
    title: 'Funnel',
    view: Funnel,
    counts: 'people',
    controls: ['environment', 'range', 'bots', 'anonymous'],
  },
  {
    path: '/app/retention',
    title: 'Retention',
    view: Retention,
    counts: 'people',
    controls: ['environment', 'range', 'bots', 'anonymous'],
  },
  { path: '/app/paths', title: 'Paths', view: Paths, counts: 'people' },
  { path: '/app/vitals', title: 'Vitals', view: Vitals, counts: 'events' },
  { path: '/app/errors', title: 'Errors', view: Errors, counts: 'events' },
  { path: '/app/plan', title: 'Plan', view: Plan, counts: 'events' },
  { path: '/app/sql', title: 'SQL', view: SqlPage, controls: [] },
  { path: '/app/setup', title: 'Set up', view: SetUp, controls: ['environment'] },
]
