import type { Database } from '../store/Database.js'
import { idLength } from './guestPath.js'
import type { Shown } from './guestStatements.js'

/** A link by which guests see figures, as it is saved. */
export interface GuestLink extends Shown {
  name: string
  ends_at: string | null
  /** The origins of pages that may show it in a frame. */
  origins: string[]
}

const columns = `SELECT name, value::VARCHAR FROM analytics.raw.saved WHERE kind = 'link'`

const readLink = ([name, value]: string[]): GuestLink => ({
  ...(JSON.parse(value!) as Omit<GuestLink, 'name'>),
  name: name!,
})

/** A link that has ended is none. */
const isGood = ({ ends_at: end }: GuestLink) => end === null || Date.parse(end) > Date.now()

const find = async (database: Database, condition: string, value: string): Promise<GuestLink | undefined> => {
  const reader = await database.use((connection) =>
    connection.runAndReadAll(`${columns} AND ${condition}`, [value]),
  )
  return (reader.getRows() as string[][]).map(readLink).find(isGood)
}

/** The link with a token of this hash. */
export const findLink = (database: Database, hash: string): Promise<GuestLink | undefined> =>
  find(database, `(value->>'token_hash') = $1`, hash)

/** The link of an address, which tells no more than who may show it in a frame: the token is in no request for a page. */
export const findLinkById = (database: Database, id: string): Promise<GuestLink | undefined> =>
  find(database, `left(value->>'token_hash', ${idLength}) = $1`, id)

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
