import { lakehouseError, refuse } from '../http/HttpError.js'
import { bodyReader } from '../http/readJson.js'
import type { Route } from '../http/Route.js'
import { answerer, type AnswererOptions } from '../sql/answerer.js'
import { queryEnded } from '../sql/Cancellation.js'
import { findPersonal } from '../sql/guard/findPersonal.js'
import { refuseField } from '../sql/refuse.js'
import { ConcurrencyLimit } from '../store/ConcurrencyLimit.js'
import type { Database } from '../store/Database.js'
import { readGuest } from '../users/Identity.js'
import { findGoal, findLink, findLinkById, type GuestLink } from './findLink.js'
import { framesPath, guestPath } from './guestPath.js'
import { type GuestQuestion, loadGuestStatements } from './guestStatements.js'

export interface GuestRoutesOptions extends AnswererOptions {
  database: Database
  maxQueries: number
}

/** All guests together have this part of the permits at most, so that a public link leaves room for users. */
const shareOfPermits = 4
const maxWaiting = 100
const maxBodyBytes = 65_536

const text = (maxLength: number) => ({ type: 'string', maxLength })
const moment = { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` }
const period = {
  type: 'object',
  required: ['from', 'until'],
  properties: { from: moment, until: moment },
  additionalProperties: false,
}
const properties = {
  statement: { type: 'string' },
  path: text(100),
  search: text(8000),
  from: moment,
  until: moment,
  before: { ...period, nullable: true },
  unit: text(10),
  time_zone: text(100),
}
const readAsked = bodyReader<GuestQuestion & { statement: string }>(
  { type: 'object', required: Object.keys(properties), properties, additionalProperties: false },
  maxBodyBytes,
)

/** One answer for each of these, so that nobody learns which it is. */
const gone = () =>
  refuse(
    404,
    'no-such-link',
    'There is nothing at this link: it was taken back, it has ended, or it was never there.',
  )
const notShown = () => refuse(403, 'not-shown', 'This link does not show that.')

const headers = { 'cache-control': 'no-store' }

/**
 * What a guest may do, who has a link and no login. A guest never chooses a statement: the service makes all that the
 * link's page asks, and runs what is asked only when it is one of them.
 */
export const guestRoutes = (options: GuestRoutesOptions): Route[] => {
  const { database, maxQueries } = options
  const answer = answerer(options)
  const limit = new ConcurrencyLimit({
    permits: Math.max(1, Math.floor(maxQueries / shareOfPermits)),
    maxWaiting,
  })

  const linkOf = async (hash: string): Promise<GuestLink> => {
    const link = await findLink(database, hash)
    if (link === undefined) throw gone()
    return link
  }

  const show: Route = {
    method: 'GET',
    path: guestPath,
    writeError: lakehouseError,
    async handle({ request }) {
      const { name, path, search } = await linkOf(readGuest(request))
      const goal = new URLSearchParams(search).get('goal')
      const value = goal === null ? undefined : await findGoal(database, goal)
      const goals = value === undefined ? [] : [{ name: goal, value }]
      return { status: 200, body: { name, path, search, goals }, headers }
    },
  }

  const ask: Route = {
    method: 'POST',
    path: guestPath,
    writeError: lakehouseError,
    async handle({ request: http, response }) {
      const hash = readGuest(http)
      const { statement: asked, ...question } = await readAsked(http)
      const link = await linkOf(hash)
      const { guestStatements } = await loadGuestStatements()
      const statement = guestStatements(link, question).find((each) => each === asked)
      if (statement === undefined || findPersonal(statement) !== undefined) throw notShown()
      const left = new AbortController()
      response.once('close', () => left.abort(queryEnded('gone')))
      // A user's name has no colon.
      const user = `guest:${link.name}`
      const permit = await limit.acquire({ user, signal: left.signal })
      try {
        response.setHeader('cache-control', 'no-store')
        return await answer({
          ...{ user, role: 'read', http, response },
          request: { statement, timezone: question.time_zone, ephemeral: true },
          form: {
            format: 'default',
            escapesFormulas: false,
            columns: 'objects',
            isZipped: false,
          },
          readsOnly: refuseField('A guest only reads.'),
        })
      } finally {
        permit.release()
      }
    },
  }

  const frames: Route = {
    method: 'GET',
    path: `${framesPath}{id}`,
    writeError: lakehouseError,
    async handle({ request, parameters }) {
      readGuest(request)
      const link = await findLinkById(database, parameters[0]!)
      return { status: 200, body: { origins: link?.origins ?? [] } }
    },
  }

  return [show, ask, frames]
}
