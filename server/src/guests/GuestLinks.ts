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

const savedSql = `SELECT kind, name, value::VARCHAR FROM analytics.raw.saved WHERE kind IN ('link', 'goal')`

interface SavedLink extends GuestLink {
  token_hash: string
}

interface Goal {
  name: string
  value: object
}

/** What is saved that guests may need. */
interface Saved {
  links: readonly SavedLink[]
  goals: readonly Goal[]
}

const readSaved = (rows: readonly string[][]): Saved => {
  const all = rows.map(([kind, name, value]) => ({ kind, name: name!, value: JSON.parse(value!) as object }))
  const links = all.filter(({ kind }) => kind === 'link')
  return {
    links: links.map(({ name, value }) => ({ ...(value as Omit<SavedLink, 'name'>), name })),
    goals: all.filter(({ kind }) => kind === 'goal').map(({ name, value }) => ({ name, value })),
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
  async find(hash: string): Promise<GuestLink | undefined> {
    return (await this.#read()).links.find((link) => link.token_hash === hash && isGood(link))
  }

  /** The link of an address, which tells no more than who may show it in a frame: the token is in no request for a page. */
  async findById(id: string): Promise<GuestLink | undefined> {
    return (await this.#read()).links.find(
      (link) => link.token_hash.slice(0, idLength) === id && isGood(link),
    )
  }

  /** The goal that the address of a link counts, if it is there. */
  async findGoals({ search }: GuestLink): Promise<readonly Goal[]> {
    const counted = new URLSearchParams(search).get('goal')
    return (await this.#read()).goals.filter(({ name }) => name === counted)
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
