import { dataChanges } from '../duckdb/transactions.js'
import type { Database } from '../duckdb/Database.js'
import { idLength } from '../users/Identity.js'
import type { Shown } from './shownToGuests.js'

/** A link by which guests see figures, as it is saved. */
export interface GuestLink extends Shown {
  name: string
  /** The page that it opens, at its address; null: all pages. */
  path: string | null
  search: string
  ends_at: string | null
  /** The origins of pages that may show it in a frame. */
  origins: string[]
}

const linksSql = `SELECT name, value::VARCHAR FROM analytics.raw.saved WHERE kind = 'link'`

interface SavedLink extends GuestLink {
  token_hash: string
}

const readLink = ([name, value]: string[]): SavedLink => ({
  ...(JSON.parse(value!) as Omit<SavedLink, 'name'>),
  name: name!,
})

/** A link that has ended is none. */
const isGood = ({ ends_at: end }: GuestLink) => end === null || Date.parse(end) > Date.now()

/**
 * The links of guests, in memory for as long as nothing in DuckDB has changed: who has no link, or guesses tokens, costs
 * DuckDB nothing. While something changes, one reading serves all who came before it began.
 */
export class GuestLinks {
  readonly #database: Database
  #known: { at: number | undefined; links: readonly SavedLink[] } | undefined
  #last: Promise<unknown> = Promise.resolve()
  #next: Promise<readonly SavedLink[]> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** The link with a token of this hash. */
  async find(hash: string): Promise<GuestLink | undefined> {
    return (await this.#read()).find((link) => link.token_hash === hash && isGood(link))
  }

  /** The link of an address, which tells no more than who may show it in a frame: the token is in no request for a page. */
  async findById(id: string): Promise<GuestLink | undefined> {
    return (await this.#read()).find((link) => link.token_hash.slice(0, idLength) === id && isGood(link))
  }

  async #read(): Promise<readonly SavedLink[]> {
    const at = dataChanges.count
    if (at !== undefined && this.#known?.at === at) return this.#known.links
    return (this.#next ??= this.#afterLast())
  }

  #afterLast(): Promise<readonly SavedLink[]> {
    const reading = this.#last.then(async () => {
      this.#next = undefined
      const at = dataChanges.count
      const reader = await this.#database.use((connection) => connection.runAndReadAll(linksSql))
      const links = (reader.getRows() as string[][]).map(readLink)
      this.#known = { at: dataChanges.count === at ? at : undefined, links }
      return links
    })
    this.#last = reading.catch(() => undefined)
    return reading
  }
}

/** What is saved of the goal that a link counts. */
export const findGoal = async (database: Database, name: string): Promise<unknown> => {
  const reader = await database.use((connection) =>
    connection.runAndReadAll(
      `SELECT value::VARCHAR FROM analytics.raw.saved WHERE kind = 'goal' AND name = $1`,
      [name],
    ),
  )
  const value = reader.getRows()[0]?.[0]
  return typeof value === 'string' ? JSON.parse(value) : undefined
}
