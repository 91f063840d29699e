import { isDeepStrictEqual } from 'node:util'
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { dataChanges } from '../duckdb/transactions.js'
import type { Database } from '../duckdb/Database.js'
import { framesPath, type Guest, guestPath, idLength } from '../users/Identity.js'
import type { Ask, Asked } from '../answers/Answer.js'
import { readAsk } from '../answers/answers.js'
import type { Parameter, Period, Scope } from '../answers/Parameter.js'
import { HttpError, refuse } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import type { EngineProxy } from '../link/EngineProxy.js'

/** What a link shows. */
interface Shown {
  environment: string
  /** Answers with the parameters that are not free; null: all that guests may ask. */
  answers: readonly Ask[] | null
}

const parametersOf = ({
  answer,
  given,
}: Asked): [name: string, parameter: Parameter<unknown>, value: unknown][] =>
  Object.entries(answer.parameters).map(([name, parameter]) => [name, parameter, given[name]])

const findRefusal = (asked: Asked, isOfGuest: boolean): string | undefined =>
  parametersOf(asked)
    .map(([, { refuse: find }, value]) => find?.(value as never, isOfGuest))
    .find(Boolean)

/**
 * Guests may ask some of the answers of a page, without what is free: they choose it.
 *
 * @throws HttpError when one is wrong, asks for a person, or none is left
 */
export const keepForGuests = ({ environment, answers }: Shown): Ask[] | null => {
  if (answers === null) return null
  const wrong = (message: string) => refuse(400, 'invalid-body', message)
  const kept = answers.flatMap((ask) => {
    const asked = readAsk(ask)
    if (asked.answer.isForGuests !== true) return []
    const refusal = findRefusal(asked, false)
    if (refusal !== undefined) throw wrong(refusal)
    if (asked.given['environment'] !== environment) throw wrong('An answer is of another environment.')
    const isFixed = ([name]: [string, unknown]) => asked.answer.parameters[name]?.isFree !== true
    return [Object.fromEntries(Object.entries(ask).filter(isFixed)) as Ask]
  })
  if (kept.length === 0) throw wrong('Guests may not see this page.')
  return kept
}

const hourMs = 3_600_000
/** Every time zone is so many minutes, or a multiple, from UTC: no question tells a time more precisely. */
const stepMs = hourMs / 4
/** The day on which clocks change may have so few. */
const leastHours = 23

const isWhole = ({ from, until }: Period): boolean => {
  const [begin, end] = [from, until].map((moment) => Date.parse(moment?.text ?? ''))
  return [begin, end].every((each) => each! % stepMs === 0) && end! - begin! >= leastHours * hourMs
}
/** Whether the time is one that a page shows. */
const isOfPage = ({ from, until, before }: Scope & { before?: Period | null }) =>
  isWhole({ from, until }) &&
  (!before || [before.from, before.until].every((each) => Date.parse(each!.text) % stepMs === 0))

/** Whether an answer of a link is the one that is asked for, but for what is free. */
const isThatOf = (asked: Asked, ask: Ask): boolean => {
  if (ask.name !== asked.answer.name) return false
  try {
    const { given } = readAsk(ask)
    return parametersOf(asked).every(
      ([name, { isFree }, value]) => isFree === true || isDeepStrictEqual(value, given[name]),
    )
  } catch (error) {
    // It was kept by another version of the service, whose answer had other parameters.
    if (error instanceof HttpError) return false
    throw error
  }
}

/** Whether a link shows an answer. */
export const isShown = ({ environment, answers }: Shown, asked: Asked): boolean => {
  const given = asked.given as unknown as Scope
  if (asked.answer.isForGuests !== true || given.environment !== environment || !isOfPage(given)) return false
  return answers === null
    ? findRefusal(asked, true) === undefined
    : answers.some((each) => isThatOf(asked, each))
}

/** A card of a board, as users have saved it. */
interface Card {
  path: string
  search: string
  own: readonly string[]
  /** What the screens asked for it. */
  asks: readonly Ask[]
}

/** A card without what it asks: a guest's screens find that out themselves. */
type ShownCard = Omit<Card, 'asks'>

interface Board {
  title: string
  search: string
  cards: readonly Card[]
}

/** A link by which guests see figures, as it is saved. */
export interface GuestLink extends Shown {
  name: string
  /** The page that it opens, at its address; null: all pages. */
  path: string | null
  search: string
  /** The one card of the page that it shows. */
  card?: string
  /** The id of the board that it shows as that is by now, and never as the link was made. */
  board?: string
  ends_at: string | null
  /** The origins of pages that may show it in a frame. */
  origins: string[]
}

const savedSql = `
  SELECT kind, name, value::VARCHAR FROM analytics.raw.saved WHERE kind IN ('link', 'goal', 'board')`

interface SavedLink extends GuestLink {
  token_hash: string
}

/** A link with what it shows of its board: the cards of which guests may ask something, and what that is. */
export interface FoundLink extends GuestLink {
  cards?: readonly ShownCard[]
  title?: string
}

interface Goal {
  name: string
  value: object
}

/** What is saved that guests may need. */
interface Saved {
  links: readonly SavedLink[]
  goals: readonly Goal[]
  boards: ReadonlyMap<string, Board>
}

const readSaved = (rows: readonly string[][]): Saved => {
  const all = rows.map(([kind, name, value]) => ({ kind, name: name!, value: JSON.parse(value!) as object }))
  const [links, boards] = ['link', 'board'].map((each) => all.filter(({ kind }) => kind === each)) as [
    typeof all,
    typeof all,
  ]
  return {
    boards: new Map(boards.map(({ name, value }) => [name, value as Board])),
    links: links.map(({ name, value }) => ({ ...(value as Omit<SavedLink, 'name'>), name })),
    goals: all.filter(({ kind }) => kind === 'goal').map(({ name, value }) => ({ name, value })),
  }
}

/** Whether guests of an environment may ask what a card asks. */
const mayAsk = (ask: Ask, environment: string): boolean => {
  try {
    const asked = readAsk(ask)
    return (
      asked.answer.isForGuests === true &&
      asked.given['environment'] === environment &&
      findRefusal(asked, false) === undefined
    )
  } catch (error) {
    // Whoever saved the board wrote it by hand, or with another version of the service.
    if (error instanceof HttpError) return false
    throw error
  }
}

/** The address of a board for guests. Its segment may name a person, and then no card that takes it is shown. */
const searchOf = ({ search }: Board, { environment, board = '' }: GuestLink, cards: readonly ShownCard[]) => {
  const address = new URLSearchParams(search)
  address.set('env', environment)
  address.set('id', board)
  if (cards.every(({ own }) => own.includes('segment'))) address.delete('filter')
  return address.toString()
}

/** A link to a board shows what its cards ask by now; undefined where the board is gone. */
const withBoard = (link: GuestLink, boards: Saved['boards']): FoundLink | undefined => {
  if (link.board === undefined) return link
  const board = boards.get(link.board)
  if (board === undefined) return undefined
  const { environment } = link
  const shown = board.cards.flatMap(({ asks, ...card }) => {
    const answers = asks.filter((ask) => mayAsk(ask, environment))
    return answers.length > 0 ? [{ card, answers }] : []
  })
  const cards = shown.map(({ card }) => card)
  return {
    ...link,
    search: searchOf(board, link, cards),
    answers: shown.flatMap(({ answers }) => answers),
    title: board.title,
    cards,
  }
}

/** A link that has ended is none. */
const isGood = ({ ends_at: end }: GuestLink) => end === null || Date.parse(end) > Date.now()

/**
 * The links of guests and the goals that they count, in memory for as long as nothing in DuckDB has changed: who has no
 * link, or guesses tokens, costs DuckDB nothing. While something changes, one reading serves all who came before it began.
 */
export class GuestLinks {
  readonly #database: Database
  #known: { at: number | undefined; saved: Saved } | undefined
  #last: Promise<unknown> = Promise.resolve()
  #next: Promise<Saved> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** The link with a token of this hash. */
  async find(hash: string): Promise<FoundLink | undefined> {
    const { links, boards } = await this.#read()
    const found = links.find((link) => link.token_hash === hash && isGood(link))
    return found && withBoard(found, boards)
  }

  /** The link of an address, which tells no more than who may show it in a frame: the token is in no request for a page. */
  async findById(id: string): Promise<GuestLink | undefined> {
    return (await this.#read()).links.find(
      (link) => link.token_hash.slice(0, idLength) === id && isGood(link),
    )
  }

  /** The goals that the addresses of a link count, as far as they are there. */
  async findGoals({ search, cards = [] }: FoundLink): Promise<readonly Goal[]> {
    const searches = [search, ...cards.map((card) => card.search)]
    const counted = searches.map((each) => new URLSearchParams(each).get('goal'))
    return (await this.#read()).goals.filter(({ name }) => counted.includes(name))
  }

  async #read(): Promise<Saved> {
    const at = dataChanges.count
    if (at !== undefined && this.#known?.at === at) return this.#known.saved
    return (this.#next ??= this.#afterLast())
  }

  #afterLast(): Promise<Saved> {
    const reading = this.#last.then(async () => {
      this.#next = undefined
      const at = dataChanges.count
      const reader = await this.#database.use((connection) => connection.runAndReadAll(savedSql))
      const saved = readSaved(reader.getRows() as string[][])
      this.#known = { at: dataChanges.count === at ? at : undefined, saved }
      return saved
    })
    this.#last = reading.catch(() => undefined)
    return reading
  }
}

/** A header of its own: a guest never counts as a user, whatever else a request carries. */
const linkHeader = 'x-waymark-link'

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Only the hash of a token goes any further. */
const guestOf = ({ headers }: IncomingMessage): Guest => ({
  user: hashToken(String(headers[linkHeader] ?? '')),
  role: 'guest',
})

/** `/guest` in the ingest process: it passes a guest's question to the engine, and never as anybody else's. */
export const guestProxyRoutes = (proxy: EngineProxy): Route[] =>
  (['GET', 'POST'] as const).map((method) => ({
    method,
    path: guestPath,
    async handle({ request, response }) {
      await proxy.forward({ request, response, identity: guestOf(request), isReading: true })
      return undefined
    },
  }))

const idForm = new RegExp(`^[\\da-f]{${idLength}}$`)

/** Who may show the page of a link in a frame; nobody, where there is no such link or no engine to ask. */
export const framesOf =
  (proxy: EngineProxy) =>
  async (id: string): Promise<readonly string[]> => {
    if (!idForm.test(id)) return []
    const found = await proxy.ask(`${framesPath}${id}`, { user: '', role: 'guest' })
    return (found as { origins: string[] } | undefined)?.origins ?? []
  }
