import { copyWriter } from './statements/copyFormats.js'
import { abandon, newPortal, type Portal, takeRows } from './Portal.js'
import type { Portals } from './Portals.js'
import { ProtocolError } from './ProtocolError.js'
import { readCopy } from './statements/readCopy.js'
import { type CursorCommand, readCursor } from './statements/readCommand.js'
import { type Statement, innerEdits } from './statements/statements.js'
import type { Described } from './describeStatement.js'
import type { ClientState } from './ClientState.js'
import { fixedRows, type RowSource } from './openQuery.js'

interface Rooms {
  client: ClientState
  portals: Portals
  /** Begins a portal that was bound and not executed. */
  start(portal: Portal): Promise<void>
}

/** What a prepared statement is told about; of DECLARE and COPY that is their query, whose rows come by another way. */
export const describePortal = async (
  { client, portals }: Omit<Rooms, 'start'>,
  statement: Statement,
  oids: readonly number[],
): Promise<Described> => {
  const cursor = readCursor(statement)
  if (cursor?.kind === 'declare') {
    const described = await client.describe(cursor.query, oids)
    return { ...described, fields: undefined }
  }
  if (cursor?.kind === 'fetch') return { oids: [], fields: portals.find(cursor.name).fields }
  if (cursor !== undefined || readCopy(statement) !== undefined) return { oids: [], fields: undefined }
  return client.describe(statement, oids)
}

/** Opens the rows of a portal: of a query, of a cursor's query, or those of a COPY. */
export const openPortal = async (rooms: Rooms, portal: Portal): Promise<RowSource> => {
  const { client, portals } = rooms
  const statement = portal.prepared.statement!
  const cursor = readCursor(statement)
  if (cursor !== undefined) {
    client.checkTransaction()
    return useCursor(rooms, portal, cursor)
  }
  portals.admit(portal)
  const copy = readCopy(statement)
  if (copy === undefined) return client.run(statement, portal.values)
  const source = await client.query(copy.query, [], statement.text)
  try {
    const copied = copyWriter(copy.format, source.fields ?? [], client.settings)
    return { ...source, fields: undefined, copied, tag: (rows) => `COPY ${rows}` }
  } catch (error) {
    source.close('gone')
    throw error
  }
}

const useCursor = async (rooms: Rooms, portal: Portal, command: CursorCommand): Promise<RowSource> => {
  const { portals, start } = rooms
  switch (command.kind) {
    case 'declare':
      return declare(rooms, portal, command)
    case 'close':
      if (command.name === undefined) portals.dropCursors()
      else {
        portals.find(command.name)
        portals.drop(command.name)
      }
      return fixedRows(undefined, [], command.name === undefined ? 'CLOSE CURSOR ALL' : 'CLOSE CURSOR')
    default: {
      const cursor = portals.find(command.name)
      if (cursor.source === undefined && !cursor.isDone) await start(cursor)
      return fetchFrom(cursor, command)
    }
  }
}

const declare = async (
  { client, portals }: Rooms,
  { values, bytes }: Portal,
  { name, isHeld, query }: CursorCommand & { kind: 'declare' },
): Promise<RowSource> => {
  if (client.transaction === 'I' && !isHeld) {
    throw new ProtocolError(
      '25P01',
      'DECLARE stands in a transaction: send BEGIN before it, or declare WITH HOLD.',
    )
  }
  if (portals.has(name)) throw new ProtocolError('42P03', `There is a cursor ${name.slice(0, 80)} already.`)
  const prepared = { statement: query, oids: [], fields: undefined, bytes: 0 }
  const opened: Portal = { ...newPortal(prepared, innerEdits(query, values), [], bytes), cursor: { isHeld } }
  portals.admit(opened)
  opened.source = await client.query(query, opened.values)
  opened.fields = opened.source.fields
  opened.source.pause()
  try {
    portals.set(name, opened)
  } catch (error) {
    abandon(opened)
    throw error
  }
  return fixedRows(undefined, [], 'DECLARE CURSOR')
}

/** Some rows of a cursor, as the answer of another statement. */
const fetchFrom = (cursor: Portal, { kind, rows }: CursorCommand & { kind: 'fetch' | 'move' }): RowSource => {
  let left = rows
  let moved = 0
  const pause = () => cursor.source?.pause()
  const next = async () => {
    const some = left > 0 ? await takeRows(cursor, left) : undefined
    if (some === undefined) pause()
    left -= some?.length ?? 0
    return some
  }
  return {
    fields: kind === 'fetch' ? cursor.fields : undefined,
    async next() {
      if (kind === 'fetch') return next()
      for (let some = await next(); some !== undefined; some = await next()) moved += some.length
      return undefined
    },
    tag: (sent) => (kind === 'fetch' ? `FETCH ${sent}` : `MOVE ${moved}`),
    pause,
    resume: async () => cursor.source?.resume(),
    close: () => abandon(cursor),
  }
}
