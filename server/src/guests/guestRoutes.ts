import type { IncomingMessage } from 'node:http'
import type { Ask } from '../answers/Answer.js'
import { readAsk, statementOf } from '../answers/answers.js'
import { refuse } from '../http/HttpError.js'
import { bodyReader } from '../http/readJson.js'
import type { Route } from '../http/Route.js'
import { answerer, type AnswererOptions } from '../sql/answerer.js'
import { queryEnded } from '../sql/Cancellation.js'
import { findPersonal } from '../sql/guard/findUnread.js'
import { refuseField } from '../sql/refuse.js'
import { ConcurrencyLimit } from '../duckdb/ConcurrencyLimit.js'
import type { Database } from '../duckdb/Database.js'
import { readGuest, framesPath, guestPath } from '../users/Identity.js'
import { type FoundLink, GuestLinks, isShown } from './GuestLinks.js'

/** All guests together have this part of the permits at most, so that a public link leaves room for users. */
const shareOfPermits = 4
const maxWaiting = 100
const maxBodyBytes = 65_536

const readAsked = bodyReader<Ask & { timezone?: string }>(
  {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, timezone: { type: 'string' } },
  },
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
 * What a guest may do, who has a link and no login. First the link is looked for, then it waits for its turn, and only
 * then anything is done for the guest. A guest names an answer that the link shows, and never a statement.
 */
export const guestRoutes = (answering: AnswererOptions, database: Database, maxQueries: number): Route[] => {
  const answer = answerer(answering)
  const limit = new ConcurrencyLimit({
    permits: Math.max(1, Math.floor(maxQueries / shareOfPermits)),
    maxWaiting,
  })

  const links = new GuestLinks(database)

  const linkOf = async (request: IncomingMessage): Promise<FoundLink> => {
    const link = await links.find(readGuest(request))
    if (link === undefined) throw gone()
    return link
  }

  const show: Route = {
    method: 'GET',
    path: guestPath,
    async handle({ request }) {
      const link = await linkOf(request)
      const { name, path, search, card, cards, title = name } = link
      const goals = await links.findGoals(link)
      return { status: 200, body: { name: title, path, search, card, cards, goals }, headers }
    },
  }

  const answerGuest: Route = {
    method: 'POST',
    path: guestPath,
    async handle({ request: http, response }) {
      const link = await linkOf(http)
      const { timezone = 'UTC', ...ask } = await readAsked(http)
      const left = new AbortController()
      response.once('close', () => left.abort(queryEnded('gone')))
      // A user's name has no colon.
      const user = `guest:${link.name}`
      const permit = await limit.acquire({ user, signal: left.signal })
      try {
        const asked = readAsk(ask, timezone)
        if (!isShown(link, asked)) throw notShown()
        const statement = statementOf(asked)
        if (findPersonal(statement) !== undefined) throw notShown()
        response.setHeader('cache-control', 'no-store')
        return await answer({
          user,
          role: 'read',
          http,
          response,
          request: { statement, timezone, ephemeral: true },
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
    async handle({ request, parameters }) {
      readGuest(request)
      const link = await links.findById(parameters[0]!)
      return { status: 200, body: { origins: link?.origins ?? [] } }
    },
  }

  return [show, answerGuest, frames]
}
