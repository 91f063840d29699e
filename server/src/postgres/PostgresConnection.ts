import type { Duplex } from 'node:stream'
import { setImmediate as otherWork } from 'node:timers/promises'
import type { CancelReason } from '../sql/Cancellation.js'
import * as to from './messages/messages.js'
import { type Message, MessageStream, BodyReader } from './messages/MessageStream.js'
import { conversionOf } from './conversionOf.js'
import { describePortal, openPortal } from './openPortal.js'
import { formatsOf, newPortal, type Portal, sendRows } from './Portal.js'
import { Portals, PreparedStatements } from './Portals.js'
import { asProtocolError, ProtocolError, sqlState, unreadable } from './ProtocolError.js'
import { readParameter } from './messages/readParameter.js'
import { findParameters, splitStatements } from './statements/statements.js'
import { text } from './types.js'
import type { Activity } from './rewrite/Rewrite.js'
import { ClientState, type ClientStart, type ClientStateOptions } from './ClientState.js'

/** Messages that have arrived together are read without a pause, which would keep all others waiting. */
const messagesATurn = 64

/** What a connection shares with others. */
type Door = Pick<ClientStateOptions, 'sql' | 'catalog' | 'pid' | 'activity' | 'end'>

/**
 * Serves one client whose password was right. It speaks the simple and the extended protocol,
 * https://www.postgresql.org/docs/current/protocol-flow.html, and handles one message after the other.
 *
 *   ready → (message) → ready
 *   ready → (message failed, extended) → skipping → (Sync) → ready
 *   any → (client gone, X, closing while ready) → closed
 */
export class PostgresConnection {
  readonly #stream: MessageStream
  readonly #client: ClientState
  readonly #prepared = new PreparedStatements()
  readonly #portals = new Portals()
  #isSkipping = false
  #isBusy = false
  #isClosing = false

  constructor(socket: Duplex, start: ClientStart, door: Door) {
    this.#stream = new MessageStream(socket, () => this.cancel('gone'))
    this.#client = new ClientState({
      ...start,
      ...door,
      onSetting: (name, value) => this.#stream.write(to.parameterStatus(name, value)),
      onDeallocate: (name) => this.#prepared.deallocate(name),
      onDiscard: () => this.#portals.dropCursors(),
    })
  }

  get activity(): Activity {
    const { activity } = this.#client
    return this.#isBusy ? { ...activity, state: 'active' } : activity
  }

  /** Resolves once the connection is closed. */
  async run(process: number, secret: number): Promise<void> {
    for (const [name, value] of this.#client.settings.reported()) {
      this.#stream.write(to.parameterStatus(name, value))
    }
    this.#stream.write(to.backendKey(process, secret))
    await this.#ready()
    try {
      for (let taken = 1; await this.#takeMessage(); taken++)
        if (taken % messagesATurn === 0) await otherWork()
    } catch (error) {
      this.#stream.write(to.errorResponse(asProtocolError(error), 'FATAL'))
    }
    this.#portals.dropAll()
    this.#client.close()
    this.#stream.end()
  }

  cancel(reason: CancelReason): void {
    this.#client.cancel(reason)
  }

  /** Ends the connection once the current message is handled. */
  close(): void {
    if (this.#isClosing) return
    this.#isClosing = true
    if (!this.#isBusy) this.#sayGoodbye()
  }

  #sayGoodbye(): void {
    this.#stream.write(
      to.errorResponse(new ProtocolError(sqlState.stopping, 'The service is stopping.'), 'FATAL'),
    )
    this.#stream.end()
  }

  async #takeMessage(): Promise<boolean> {
    const message = await this.#stream.read()
    if (message === undefined || message.type === 'X') return false
    this.#isBusy = true
    try {
      await this.#handle(message)
    } finally {
      this.#isBusy = false
    }
    if (this.#stream.isFull) await this.#stream.flush()
    if (this.#isClosing) this.#sayGoodbye()
    return !this.#isClosing && !this.#stream.isGone
  }

  async #handle({ type, body }: Message): Promise<void> {
    const reader = new BodyReader(body)
    if (type === 'S') {
      this.#isSkipping = false
      this.#settle()
      return this.#ready()
    }
    if (this.#isSkipping) return
    try {
      if (type === 'Q') await this.#query(reader.text())
      else if (type === 'P') await this.#parse(reader, body.length)
      else if (type === 'B') this.#bind(reader, body.length)
      else if (type === 'D') await this.#describe(reader)
      else if (type === 'E') await this.#execute(reader.text(), reader.int32())
      else if (type === 'C') this.#closeOne(reader)
      else if (type === 'H') await this.#stream.flush()
      else if (type === 'F')
        throw new ProtocolError(sqlState.notSupported, 'Functions are called by SELECT here.')
      else if (!/^[dcf]$/.test(type)) {
        throw unreadable(`There is no message ${JSON.stringify(type)}.`)
      }
    } catch (error) {
      const reported = asProtocolError(error)
      if (reported.isFatal) throw reported
      this.#client.fail()
      this.#stream.write(to.errorResponse(reported))
      if (type === 'Q') await this.#ready()
      else {
        this.#isSkipping = true
        await this.#stream.flush()
      }
    }
  }

  #ready(): Promise<void> {
    this.#stream.write(to.readyForQuery(this.#client.transaction))
    return this.#stream.flush()
  }

  async #query(sql: string): Promise<void> {
    this.#portals.drop('')
    const statements = splitStatements(sql)
    if (statements.length === 0) this.#stream.write(to.emptyQuery())
    for (const statement of statements) {
      if (findParameters(statement).length > 0) {
        throw new ProtocolError('42P02', 'A simple query has no parameters: write the values, or prepare it.')
      }
      const portal = newPortal({ statement, oids: [], fields: undefined, bytes: 0 }, [], [], 0)
      await this.#start(portal)
      if (portal.fields !== undefined) this.#stream.write(to.rowDescription(portal.fields, []))
      await this.#send(portal, 0)
    }
    this.#settle()
    await this.#ready()
  }

  #settle(): void {
    this.#client.settle()
    if (this.#client.transaction === 'I') this.#portals.endTransaction()
  }

  async #parse(reader: BodyReader, bytes: number): Promise<void> {
    const name = reader.text()
    const [statement, ...more] = splitStatements(reader.text())
    const oids = Array.from({ length: reader.count() }, () => reader.int32())
    if (more.length > 0) {
      throw new ProtocolError(
        sqlState.syntaxError,
        'A prepared statement is one statement; send several as a simple query.',
      )
    }
    this.#prepared.makeRoom(name, bytes)
    const described =
      statement === undefined
        ? { oids, fields: undefined }
        : await describePortal({ client: this.#client, portals: this.#portals }, statement, oids)
    this.#prepared.add(name, { ...described, statement, bytes })
    this.#stream.write(to.parseComplete())
  }

  #bind(reader: BodyReader, bytes: number): void {
    const name = reader.text()
    const prepared = this.#prepared.find(reader.text())
    const formats = Array.from({ length: reader.count() }, () => reader.int16())
    const count = reader.count()
    if (count !== prepared.oids.length) {
      throw new ProtocolError(
        sqlState.protocolViolation,
        `The statement has ${prepared.oids.length} parameters, and ${count} values came.`,
      )
    }
    const values = Array.from({ length: count }, () => {
      const length = reader.int32()
      return length < 0 ? null : reader.bytes(length)
    })
    const resultFormats = Array.from({ length: reader.count() }, () => reader.int16())
    const isBinary = (at: number) => (formats.length === 1 ? formats[0] : formats[at]) === 1
    const marks = prepared.statement === undefined ? [] : findParameters(prepared.statement)
    const edits = marks.map(({ number, start, end, kind, cast }) => {
      const at = number - 1
      const oid = prepared.oids[at]!
      const read = {
        bytes: values[at]!,
        isBinary: isBinary(at),
        oid,
        kind,
        isLoose: prepared.isLoose === true,
        cast,
      }
      return { start, end, text: readParameter(read) }
    })
    this.#portals.set(name, newPortal(prepared, edits, resultFormats, bytes))
    this.#stream.write(to.bindComplete())
  }

  async #describe(reader: BodyReader): Promise<void> {
    const kind = reader.letter()
    const name = reader.text()
    if (kind === 'S') {
      const prepared = this.#prepared.find(name)
      const { oids, fields } = prepared
      prepared.told = fields
      this.#stream.write(to.parameterDescription(oids.map((oid) => (oid === 0 ? text.oid : oid))))
      this.#stream.write(fields === undefined ? to.noData() : to.rowDescription(fields, []))
      return
    }
    const portal = this.#portals.find(name)
    // The values may change the types of the columns, so the statement must run before it is described.
    if (portal.values.length > 0 && portal.source === undefined && !portal.isDone) await this.#start(portal)
    portal.prepared.told ??= portal.fields
    this.#stream.write(
      portal.fields === undefined
        ? to.noData()
        : to.rowDescription(portal.fields, formatsOf(portal.fields, portal.formats)),
    )
  }

  async #execute(name: string, maxRows: number): Promise<void> {
    const portal = this.#portals.find(name)
    if (portal.prepared.statement === undefined) this.#stream.write(to.emptyQuery())
    else {
      if (portal.source === undefined && !portal.isDone) await this.#start(portal)
      await this.#send(portal, maxRows)
    }
  }

  async #start(portal: Portal): Promise<void> {
    const start = (bound: Portal) => this.#start(bound)
    const source = await openPortal({ client: this.#client, portals: this.#portals, start }, portal)
    portal.source = source
    // The client may not ask for the rows at once.
    source.pause()
    const { told } = portal.prepared
    portal.fields = told ?? source.fields
    if (told === undefined) return
    if (source.fields?.length === told.length) portal.convert = conversionOf(told, source.fields)
    else {
      source.close('cancelled')
      throw new ProtocolError(sqlState.notSupported, 'The statement has other columns now: prepare it again.')
    }
  }

  #send(portal: Portal, maxRows: number): Promise<void> {
    return sendRows(this.#stream, portal, { maxRows, settings: this.#client.settings })
  }

  #closeOne(reader: BodyReader): void {
    const kind = reader.letter()
    const name = reader.text()
    if (kind === 'S') this.#prepared.forget(name)
    else this.#portals.drop(name)
    this.#stream.write(to.closeComplete())
  }
}
