import { randomUUID } from 'node:crypto'
import type { Cancellation, CancelReason } from '../sql/Cancellation.js'
import { applyEdits, type Edit } from '../sql/text/edits.js'
import type { Sql } from '../sql/openSql.js'
import type { HeldConnection } from '../sql/HeldConnections.js'
import { findCatalog, type SearchPath } from '../sql/searchPath.js'
import type { Identity } from '../users/Identity.js'
import type { Catalog } from './catalog/Catalog.js'
import { userOid } from './catalog/names.js'
import type { Activity } from './rewrite/Rewrite.js'
import { catalogUse, namesCatalog, rewriteStatement } from './rewrite/rewriteStatement.js'
import type { TransactionState } from './messages/messages.js'
import { type Described, describeStatement } from './describeStatement.js'
import { ProtocolError, sqlState } from './ProtocolError.js'
import { answerOf, type Command, firstSchema, parameterTypes, readCommand } from './statements/readCommand.js'
import { Settings, settingsAtStart } from './Settings.js'
import { asksSettings, throwPlaced, type Statement, statementOf } from './statements/statements.js'
import { fixedRows, openQuery, type RowSource } from './openQuery.js'

/** What a client says about itself when it connects. */
export interface ClientStart extends Identity {
  database: string
  parameters: Readonly<Record<string, string>>
}

export interface ClientStateOptions extends ClientStart {
  sql: Sql
  catalog: Catalog
  /** The number of the connection. */
  pid: number
  /** The connections of the same user. */
  activity(): Activity[]
  /** Ends a connection of the same user's, or what it runs; false where there is none of that number. */
  end(pid: number, isWhole: boolean): boolean
  /** Called when a setting has changed that must be reported to the client. */
  onSetting(name: string, value: string): void
  /** Called when a prepared statement is to be forgotten; without a name, all of them. */
  onDeallocate(name?: string): void
  /** Called when all cursors are to be closed. */
  onDiscard(): void
}

/**
 * The state of one client: its settings, whether it is in a transaction, and a DuckDB connection of its
 * own, which the first statement that needs one opens. A transaction is kept up for the client only:
 * each statement sees what is stored when it starts.
 */
export class ClientState {
  readonly settings = new Settings()
  transaction: TransactionState = 'I'
  readonly #options: ClientStateOptions
  #held: HeldConnection | undefined
  /** Whether rows are still read from the DuckDB connection. */
  #isReading = false
  #path: SearchPath
  #running: Cancellation | undefined
  readonly #started = new Date()
  #asked = this.#started
  #query = ''

  constructor(options: ClientStateOptions) {
    this.#options = options
    this.#path = this.#pathOf(undefined)
    for (const [name, value] of settingsAtStart(options.parameters)) this.#set(name, value)
    this.settings.keep()
  }

  cancel(reason: CancelReason): void {
    this.#running?.cancel(reason)
  }

  get activity(): Activity {
    return {
      pid: this.#options.pid,
      datname: this.#options.database,
      application: this.settings.get('application_name') ?? '',
      state: { I: 'idle', T: 'idle in transaction', E: 'idle in transaction (aborted)' }[this.transaction],
      query: this.#query,
      started: this.#started,
      asked: this.#asked,
    }
  }

  /** Called when the client has gone. */
  close(): void {
    this.cancel('gone')
    if (this.#held !== undefined) void this.#options.sql.connections.end(this.#held)
  }

  async describe(statement: Statement, oids: readonly number[]): Promise<Described> {
    const command = readCommand(statement, this.settings)
    if (command !== undefined) {
      const types = parameterTypes(statement, command).map((oid, at) => oids[at] || oid)
      return { oids: types, isLoose: true, fields: answerOf(command) }
    }
    this.checkTransaction()
    const edits = await this.#rewrite(statement, false)
    const held = await this.#open()
    const described = this.#whileRunning((cancellation) => {
      const { user, sql } = this.#options
      cancellation.asked = { user, statement: applyEdits(statement.text, edits) }
      const endWatch = sql.watch(cancellation)
      return sql
        .inspect({ held, cancellation, readsOnly: true }, (connection, guard) =>
          describeStatement(connection, guard, { statement, edits, oids }),
        )
        .finally(endWatch)
    })
    return described.catch(throwPlaced(statement, edits))
  }

  /** Runs a statement. `values` are written instead of its parameters. */
  async run(statement: Statement, values: readonly Edit[] = []): Promise<RowSource> {
    if (readCommand(statement, this.settings) === undefined && !asksSettings(statement))
      return this.query(statement, values)
    const sent = { ...(statement.sent ?? { text: statement.text, start: 0 }), edits: values }
    const bound = values.length === 0 ? statement : statementOf(applyEdits(statement.text, values), sent)
    const command = readCommand(bound, this.settings)
    if (command === undefined) return this.query(bound, [], statement.text)
    if (!('tag' in command && /^(COMMIT|ROLLBACK)$/.test(command.tag))) this.checkTransaction()
    this.#note(statement.text)
    return this.#execute(command)
  }

  #note(sent: string): void {
    this.#asked = new Date()
    // As long as Postgres keeps it: every client of the user's may ask for it.
    this.#query = sent.slice(0, 1024)
  }

  /** Runs a statement that DuckDB must answer. The log shows it as `sent`. */
  async query(statement: Statement, values: readonly Edit[], sent = statement.text): Promise<RowSource> {
    this.checkTransaction()
    this.#note(sent)
    const edits = await this.#rewrite(statement, true)
    const held = await this.#open()
    const queryId = randomUUID()
    this.settings.noteQuery(queryId)
    const all = [...edits, ...values]
    const fail = throwPlaced(statement, all)
    const running = this.#whileRunning((cancellation) =>
      openQuery({
        queryId,
        runner: this.#options.sql.runner,
        held,
        user: this.#options.user,
        role: this.#options.role,
        applicationName: this.settings.get('application_name') ?? '',
        statement,
        sent,
        text: applyEdits(statement.text, all),
        cancellation,
        timeoutMs: this.settings.statementTimeoutMs,
      }),
    )
    return this.#watched(await running.catch(fail), held, fail)
  }

  checkTransaction(): void {
    if (this.transaction !== 'E') return
    throw new ProtocolError(
      sqlState.failedTransaction,
      'A statement of this transaction failed: send ROLLBACK before the next.',
    )
  }

  /**
   * Notes that a statement failed. In a transaction all later statements then fail too, until it ends; outside of one
   * it has set nothing.
   */
  fail(): void {
    if (this.transaction === 'T') this.transaction = 'E'
    else if (this.transaction === 'I') this.#followAll(this.settings.end(false))
  }

  /** Called when the statements that came together have ended: outside of a transaction they are one. */
  settle(): void {
    if (this.transaction === 'I') this.#followAll(this.settings.end(true))
  }

  async #rewrite(statement: Statement, isRun: boolean): Promise<Edit[]> {
    const { user, pid, database, catalog, sql } = this.#options
    const { catalog: entered, schema: name } = this.#path
    const schema = entered === database ? name : entered
    const activity = () => this.#options.activity().map((each) => ({ ...each, name: user, oid: userOid }))
    const macros = await catalog.macros()
    // DuckDB finds a function without a schema in these two.
    const places = [`${entered}.${name}`, `${entered}.main`].map((place) => place.toLowerCase())
    const isOwn = (of: string) => places.some((place) => macros.has(`${place}.${of}`))
    const catalogs = sql.readable.filter((each) => each !== database)
    const set = (setting: string, value: string | undefined, isLocal: boolean) => {
      this.#tell(this.#set(setting, value, isLocal))
      return this.settings.get(setting) ?? ''
    }
    const asked = { user, settings: this.settings, pid, schema, isOwn, database, catalogs, activity }
    const asker = { ...asked, set: isRun ? set : undefined }
    if (namesCatalog(statement, asker)) {
      const own = await catalog.schemasOf(database)
      asker.catalogs = catalogs.filter((each) => !own.has(each))
    }
    const edits = rewriteStatement(statement, asker)
    const use = catalogUse(edits)
    if (use !== undefined) await catalog.prepare(database, use)
    return edits
  }

  /** Returns the name of a setting whose change the client must be told. */
  #set(name: string, value: string | undefined, isLocal = false): string | undefined {
    const reported = this.settings.set(name, value, isLocal)
    this.#follow(name)
    return reported
  }

  /** Follows settings that have another value now because of the end of a transaction, or of a part of one. */
  #followAll(names: readonly string[]): void {
    for (const name of names) {
      this.#follow(name)
      if (Settings.isReported(name)) this.#tell(name)
    }
  }

  /** Tells the DuckDB connection of a setting that has changed. */
  #follow(name: string): void {
    if (name.toLowerCase() === 'search_path') this.#path = this.#pathOf(firstSchema(this.settings.get(name)!))
    if (this.#held === undefined) return
    this.#held.path = this.#path
    this.#held.timezone = this.settings.get('TimeZone')!
  }

  /** A schema of this database, or another catalog, which is shown as a schema. */
  #pathOf(schema: string | undefined): SearchPath {
    const { database, sql } = this.#options
    const catalog = schema === undefined ? undefined : findCatalog(schema, sql.readable)
    return catalog === undefined
      ? { catalog: database, schema: schema ?? 'main' }
      : { catalog, schema: 'main' }
  }

  async #open(): Promise<HeldConnection> {
    // A DuckDB connection reads one result at a time, so a portal that is not at its end keeps its connection.
    if (this.#held?.isOpen === true && !this.#isReading) return this.#held
    this.#isReading = false
    const { sql, user } = this.#options
    const held = await sql.connections.openEphemeral(user, `postgres-${randomUUID()}`)
    this.#held = held
    this.#follow('TimeZone')
    return held
  }

  async #whileRunning<T>(work: (cancellation: Cancellation) => Promise<T>): Promise<T> {
    const cancellation = this.#options.sql.newCancellation()
    this.#running = cancellation
    return work(cancellation)
  }

  /** Notes after each statement which schema it has entered, and ends a connection that is no longer used. */
  #watched(source: RowSource, held: HeldConnection, fail: (error: unknown) => never): RowSource {
    const running = this.#running
    this.#isReading = true
    const settle = () => {
      if (this.#held !== held) {
        void this.#options.sql.connections.end(held)
        return
      }
      this.#isReading = false
      this.#path = held.path
    }
    return {
      ...source,
      next: async () => {
        this.#running = running
        try {
          const rows = await source.next()
          if (rows === undefined) settle()
          return rows
        } catch (error) {
          settle()
          return fail(error)
        }
      },
      close: (reason) => {
        source.close(reason)
        settle()
      },
    }
  }

  #execute(command: Command): RowSource {
    const fields = answerOf(command)
    switch (command.kind) {
      case 'begin':
        if (command.isolation !== undefined) this.#set('transaction_isolation', command.isolation, true)
        this.transaction = 'T'
        break
      case 'commit':
      case 'rollback': {
        const tag = this.transaction === 'E' ? 'ROLLBACK' : command.tag
        this.transaction = 'I'
        this.#followAll(this.settings.end(tag === 'COMMIT'))
        return fixedRows(fields, [], tag)
      }
      case 'savepoint':
      case 'release':
      case 'rollbackTo':
        if (this.transaction === 'I')
          throw new ProtocolError('25P01', 'A savepoint stands in a transaction: send BEGIN before it.')
        this.#followAll(this.settings[command.kind](command.name))
        this.transaction = 'T'
        break
      case 'show':
      case 'showAll': {
        const all = () => this.settings.all().map((each) => [...each, ''])
        const rows = command.kind === 'showAll' ? all() : [[this.settings.get(command.name) ?? '']]
        return fixedRows(fields, rows, 'SHOW')
      }
      case 'resetAll':
        if (command.tag === 'DISCARD ALL') {
          this.#options.onDeallocate()
          this.#options.onDiscard()
        }
        for (const name of this.settings.differing()) this.#tell(this.#set(name, undefined))
        break
      case 'deallocate':
        this.#options.onDeallocate(command.name)
        break
      case 'set':
        this.#tell(this.#set(command.name, command.value, command.isLocal))
        break
      case 'end': {
        const { pid } = command
        const ended = pid === undefined ? null : this.#options.end(pid, command.isWhole) ? 't' : 'f'
        return fixedRows(fields, [[ended]], 'SELECT 1')
      }
    }
    return fixedRows(fields, [], command.tag)
  }

  #tell(setting: string | undefined): void {
    if (setting !== undefined) this.#options.onSetting(setting, this.settings.get(setting)!)
  }
}
