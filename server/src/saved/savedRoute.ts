import { randomBytes } from 'node:crypto'
import type { Ask } from '../answers/Answer.js'
import { readAsk } from '../answers/answers.js'
import { type GuestLink, hashToken, keepForGuests } from '../guests/GuestLinks.js'
import { guestPrefix, screenPrefix } from '../files/screenRoutes.js'
import { type Alert, readAlert, seal } from '../alerts/alert.js'
import { originForm } from '../options/values.js'
import { refuse } from '../http/HttpError.js'
import { readBody } from '../http/readBody.js'
import { parseWhole, shapeChecker } from '../http/readJson.js'
import type { Route } from '../http/Route.js'
import type { Authenticate } from '../users/authenticate.js'
import { readOnlyUser, idLength } from '../users/Identity.js'
import type { Intake } from '../wal/Intake.js'
import { savedKinds, type SavedKind, type SavedItem } from './savedSchema.js'

export const savedPath = '/saved'

const maxBodyBytes = 65_536
/** Letters that a text on one line can have. */
const letters = String.raw`\P{Cc}*`
/** A text that shows something. */
const text = (maxLength: number) => ({
  type: 'string',
  pattern: String.raw`^${letters}[^\s\p{Cc}]${letters}$`,
  maxLength,
})
const moment = { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` }
const shape = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
})

/** The parameters of an address. */
const search = { type: 'string', pattern: `^${letters}$`, maxLength: 8000 }

const checkItem = shapeChecker(
  shape(['kind', 'name', 'value'], {
    kind: { type: 'string', enum: savedKinds },
    name: text(120),
    was: { ...text(120), nullable: true },
    value: { type: 'object', nullable: true },
  }),
)

/** What guests may ask of what is shown at an address, as the screens asked it. */
const asks = (maxItems: number) => ({
  type: 'array',
  items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  maxItems,
})

/** The name of a card among those of its page. */
const cardName = { type: 'string', pattern: '^[a-z-]+$', maxLength: 40 }
/** A statement in a link is run only when its reader has seen it. */
const pagePath = { type: 'string', pattern: '^/app/(?!sql$)[a-z]*$' }

const card = shape(['id', 'path', 'search', 'card', 'title', 'width', 'own', 'asks'], {
  id: text(40),
  path: pagePath,
  search,
  card: cardName,
  title: text(300),
  /** In sixths of the board. */
  width: { type: 'integer', enum: [2, 3, 4, 6] },
  /** What the card keeps of its address instead of the board's. */
  own: { type: 'array', items: { type: 'string', enum: ['time', 'segment'] }, maxItems: 2 },
  asks: asks(20),
})

/** What a value of each kind is. */
const checkValueOf: Record<SavedKind, (value: unknown) => void> = {
  goal: shapeChecker(shape([], { event: text(500), property: text(500), value: text(500) })),
  view: shapeChecker(
    shape(['path', 'search'], {
      path: pagePath,
      search,
    }),
  ),
  board: shapeChecker(
    shape(['title', 'search', 'version', 'cards'], {
      title: text(120),
      search,
      version: { type: 'integer', minimum: 1 },
      cards: { type: 'array', items: card, maxItems: 24 },
    }),
  ),
  segment: shapeChecker(shape(['search'], { search })),
  link: shapeChecker(
    shape(['path', 'search', 'environment', 'answers', 'ends_at', 'origins'], {
      environment: text(500),
      answers: { ...asks(100), nullable: true },
      card: cardName,
      board: text(120),
      path: { type: 'string', maxLength: 100, nullable: true },
      search,
      ends_at: { ...moment, nullable: true },
      origins: { type: 'array', items: { type: 'string', maxLength: 200 }, maxItems: 20 },
    }),
  ),
  alert: readAlert,
  metric: shapeChecker(
    shape(['text', 'owner', 'since', 'answers'], {
      text: text(500),
      owner: text(120),
      since: { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\d$` },
      answers: {
        type: 'array',
        items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        minItems: 1,
        maxItems: 1,
      },
    }),
  ),
  annotation: shapeChecker(
    shape(['at', 'text'], {
      at: moment,
      text: text(300),
    }),
  ),
  exclusion: shapeChecker(shape(['suspects'], { suspects: { type: 'boolean', enum: [true] } })),
}

const wrong = (message: string) => refuse(400, 'invalid-body', message)

interface Metric {
  since: string
  answers: [Ask]
}

/** A metric is an answer of any time. */
const checkMetric = ({ since, answers: [ask] }: Metric) => {
  if (Number.isNaN(Date.parse(since))) throw wrong('since is no day that there is.')
  const fixed = ['from', 'until', 'before'].find((each) => Object.hasOwn(ask, each))
  if (fixed !== undefined) throw wrong(`answers/0 must leave ${fixed} to whoever asks.`)
  const { from } = readAsk(ask).answer.parameters
  if (from === undefined) throw wrong(`answers/0: ${ask.name} is not of a time.`)
}

const checkWhole = ({ kind, value }: SavedItem) => {
  if (value === null) return
  checkValueOf[kind](value)
  const { event, property, value: wanted, at } = value as Record<string, string | undefined>
  if (kind === 'goal' && event === undefined && property === undefined)
    throw wrong('value must name an event, or a property and its value.')
  if (kind === 'goal' && (property === undefined) !== (wanted === undefined))
    throw wrong('value must have both property and value, or neither.')
  if (kind === 'metric') checkMetric(value as Metric)
  if (kind === 'annotation' && Number.isNaN(Date.parse(at!))) throw wrong('at is no moment that there is.')
}

const hasMail = ({ to }: Alert) => typeof to !== 'string' && to.some((each) => 'mail' in each)

const sealed = (item: SavedItem, secret: Buffer): SavedItem => {
  const { to, ...alert } = item.value as Alert
  return {
    ...item,
    value: { ...alert, to: typeof to === 'string' ? to : to.map((each) => seal(each, secret)) },
  }
}

const tokenBytes = 24
const boardPath = '/app/boards'

/** Gives a link its token, which its address in this answer alone has: what is kept is the hash. */
const withToken = ({ value, was, ...item }: SavedItem): { item: SavedItem; address: string } => {
  if (was !== undefined) throw wrong('A link keeps its name: take it back, and make another.')
  const link = value as Omit<GuestLink, 'name'>
  const { path, answers, board, ends_at: end, origins } = link
  if (end !== null && Number.isNaN(Date.parse(end))) throw wrong('ends_at is no moment that there is.')
  const odd = origins.find((each) => !originForm.test(each))
  if (odd !== undefined) throw wrong(`${odd} is no origin, such as https://www.example.com.`)
  if ((path === null) !== (answers === null))
    throw wrong('answers must be null where path is, and only there.')
  if (board !== undefined && (path !== boardPath || answers?.length !== 0))
    throw wrong(`With board, path must be ${boardPath} and answers must be [].`)
  const token = randomBytes(tokenBytes).toString('base64url')
  const hash = hashToken(token)
  // No request carries what stands behind the #, so no log of a server or proxy has the token.
  const address = `${screenPrefix}${guestPrefix}${hash.slice(0, idLength)}/#${token}`
  const kept = { ...link, answers: board === undefined ? keepForGuests(link) : [], token_hash: hash }
  return { item: { ...item, value: kept }, address }
}

/**
 * `POST /saved` keeps a goal, a view, a segment, an annotation, a board, a metric, a link, an alert or an exclusion under a name, renames or removes it. It goes through the log, so
 * that each process that answers queries has it. Everybody who may read finds it in the view `saved`.
 */
export const savedRoute = ({
  authenticate,
  environments,
  intake,
  signingSecret,
  secret,
  smtp,
  now,
}: {
  authenticate: Authenticate
  environments(): readonly string[]
  intake: Intake
  /** Signs webhooks; whoever makes an alert gives it to their receivers. */
  signingSecret: string
  /** Receivers of alerts are kept sealed with it. */
  secret: Buffer
  smtp: string
  now(): number
}): Route => ({
  method: 'POST',
  path: savedPath,
  async handle({ request, response }) {
    const { user, role } = await authenticate(request, response)
    if (role === 'read') throw readOnlyUser()
    const { value } = parseWhole(await readBody(request, maxBodyBytes))
    checkItem(value)
    const given = value as SavedItem
    checkWhole(given)
    if (given.kind === 'exclusion' && given.value !== null && !environments().includes(given.name))
      throw wrong(`name must be an environment: ${environments().join(', ')}.`)
    const isAlert = given.kind === 'alert' && given.value !== null
    if (isAlert && smtp === '' && hasMail(given.value as Alert))
      throw wrong('to: mail needs a service that was started with --smtp.')
    const isNewLink = given.kind === 'link' && given.value !== null
    const { item, address } = isNewLink
      ? withToken(given)
      : { item: isAlert ? sealed(given, secret) : given, address: undefined }
    const record = {
      kind: 'save',
      count: 1,
      receivedAtMs: now(),
      body: Buffer.from(JSON.stringify([item])),
      target: JSON.stringify({ user }),
    }
    const { taskId, deadLetter } = await intake.accept(record, true)
    if (deadLetter !== undefined) throw refuse(409, 'not-saved', deadLetter.reason)
    const more = {
      ...(address !== undefined && { address }),
      ...(isAlert && { signing_secret: signingSecret }),
    }
    return { status: 200, body: { ok: true, task_id: taskId, ...more } }
  },
})
