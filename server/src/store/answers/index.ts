import { allSessions } from '../sessionTable.js'
import { viewSql } from '../viewSql.js'
import { breakdown } from './breakdown.js'
import { caughtErrors } from './caughtErrors.js'
import { daily, totals } from './daily.js'
import { funnel, funnelPeople } from './funnel.js'
import { goalEvents } from './goalEvents.js'
import { pageViews } from './pageViews.js'
import { paths } from './paths.js'
import { retention } from './retention.js'
import { sessionBreakdown, sessionsOfRange, sessionViews } from './sessionViews.js'
import { tableMacroSql } from './tableMacro.js'
import { firstTouch, lastTouch } from './touches.js'
import { vitalRating, webVitals } from './webVitals.js'

/** The statements that make the views and table macros that answer the usual questions. */
export const answers = [
  allSessions,
  ...[...sessionViews, pageViews, caughtErrors].map(viewSql),
  vitalRating,
  ...[
    sessionsOfRange,
    sessionBreakdown,
    daily,
    totals,
    funnel,
    funnelPeople,
    retention,
    paths,
    firstTouch,
    lastTouch,
    breakdown,
    webVitals,
    goalEvents,
  ].map(tableMacroSql),
].join('\n')
