import type { Mark } from '../wal/LogStore.js'
import { readMark } from './readGroups.js'
import type { ServerConnection } from './ServerConnection.js'

interface Bounds {
  last: number
  /** The log has nothing through this row. */
  before: number
}

interface Known {
  /** How far the store is. */
  applied: number
  /** The last group that was read, where that is known. */
  mark: Mark | undefined
  bounds: Bounds
}

/** What was given up of the log ends where its oldest row begins. */
const boundsSql = `
SELECT last::float8 AS last,
  coalesce((SELECT log.last - rows FROM waymark.log ORDER BY log.last LIMIT 1), last)::float8 AS before
FROM waymark.head`

/** What to do with a store that cannot follow a log. */
export const again = 'make its data folder anew from a backup of another query process'

/** The rows that the log holds are between these two. */
export const readBounds = async (connection: ServerConnection): Promise<Bounds> => {
  const [bounds] = await connection.ask<Bounds>(boundsSql)
  return bounds!
}

/** Why a store cannot go on with the log that it has followed; undefined when it can. */
export const findLoss = async (
  connection: ServerConnection,
  { applied, mark, bounds: { last, before } }: Known,
): Promise<string | undefined> => {
  if (applied > last) {
    return `The store holds rows through ${applied}, and the log ends at ${last}: a failover has lost the others; ${again}.`
  }
  if (applied < before) {
    return `The store holds rows through ${applied}, and the log begins behind ${before}: it was away for too long; ${again}.`
  }
  if (mark === undefined || mark.last <= before) return undefined
  const found = await readMark(connection, mark.last)
  if (found?.equals(mark.head) === true) return undefined
  return `The store holds rows through ${applied}, and the log has others in the place of the last of them: a failover has lost them; ${again}.`
}
