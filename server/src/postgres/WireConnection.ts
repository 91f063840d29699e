import { randomUUID } from 'node:crypto'
import type { Cancellation, CancelReason } from '../sql/Cancellation.js'
import { applyEdits, type Edit } from '../sql/guard/applyEdits.js'
import type { Sql } from '../sql/openSql.js'
import type { HeldConnection } from '../sql/HeldConnections.js'
import type { Identity } from '../users/Identity.js'
import { translate } from './catalog/translate.js'
import type { TransactionState } from './messages.js'
import { type Described, describeStatement } from './planWire.js'
import { ProtocolError, sqlState } from './ProtocolError.js'
import { type Command, readCommand } from './readCommand.js'
import { Settings } from './Settings.js'
import type { Statement } from './statements.js'
import { textField } from './types.js'
import { fixedRows, openQuery, type RowSource } from './WireQuery.js'

/** What a client says about itself when it connects. */
export interface WireStart extends Identity {
  database: string
  parameters: Readonly<Record<string, string>>
}

export interface WireConnectionOptions extends WireStart {
  sql: Sql
  /** Called when a setting has changed that must be reported to the client. */
  onSetting(name: string, value: string): void
}

/**
 * The state of one client: its settings, whether it is in a transaction, and a DuckDB connection of its
 * own, which the first statement that needs one opens. A transaction is kept up for the client only:
 * each statement sees what is stored when it starts.
 */
export class WireConnection {
  readonly settings = new Settings()
  transaction: TransactionState = 'I'
  readonly #options: WireConnectionOptions
  #held: HeldConnection | undefined
  /** Whether rows are still read from the DuckDB connection. */
  #isReading = false
  #schema: string
  #timezone = 'UTC'
  #running: Cancellation | undefined

  constructor(options: WireConnectionOptions) {
    this.#options = options
    this.#schema = 'main'
    for (const [name, value] of Object.entries(options.parameters)) this.#setAtStart(name, value)
  }

  cancel(reason: CancelReason): void {
    this.#running?.cancel(reason)
  }

  /** Called when the client has gone. */
  close(): void {
    this.cancel('gone')
    if (this.#held !== undefined) void this.#options.sql.connections.end(this.#held)
  }

  async describe(statement: Statement, oids: readonly number[]): Promise<Described> {
    const command = readCommand(statement)
    if (command !== undefined && command.kind !== 'instead') {
      const fields = this.#answerOf(command)
      return { oids: [], fields }
    }
    this.#checkTransaction()
    const { edits } = this.#sqlOf(statement, command)
    const held = await this.#open()
    return this.#whileRunning((cancellation) =>
      this.#options.sql.inspect(held, cancellation, (connection, guard) =>
        describeStatement(connection, guard, { statement, edits, oids }),
      ),
    )
  }

  /** Runs a statement. `values` are written instead of its parameters. */
  async run(statement: Statement, values: readonly Edit[] = []): Promise<RowSource> {
    const command = readCommand(statement)
    if (command !== undefined && command.kind !== 'instead') {
      return this.#execute(command)
    }
    this.#checkTransaction()
    const { edits, tag } = this.#sqlOf(statement, command)
    const held = await this.#open()
    const queryId = randomUUID()
    this.settings.noteQuery(queryId)
    const source = await this.#whileRunning((cancellation) =>
      openQuery({
        queryId,
        runner: this.#options.sql.runner,
        held,
        user: this.#options.user,
        role: this.#options.role,
        applicationName: this.settings.get('application_name') ?? '',
        sent: statement.text,
        text: applyEdits(statement.text, [...edits, ...values]),
        cancellation,
        timeoutMs: this.settings.statementTimeoutMs,
      }),
    )
    const tagged = tag === undefined ? source : { ...source, tag: () => tag }
    return this.#watched(tagged, held)
  }

  /** Notes that a statement failed. In a transaction all later statements then fail too, until it ends. */
  fail(): void {
    if (this.transaction === 'T') this.transaction = 'E'
  }

  #setAtStart(name: string, value: string): void {
    if (name === 'options') {
      for (const [, option, of] of value.matchAll(/(?:-c\s*|--)([\w.]+)=((?:\\.|[^\s\\])*)/g)) {
        this.#setAtStart(option!, of!.replaceAll(/\\(.)/g, '$1'))
      }
    } else if (name.toLowerCase() === 'timezone') this.#timezone = readZone(value)
    else if (name === 'search_path') {
      const first = value.split(',').map((each) => each.trim().replace(/^"(.*)"$/, '$1'))
      this.#schema = first.find((each) => !/^(\$user|public|pg_catalog|)$/i.test(each)) ?? this.#schema
    } else this.settings.set(name, value)
    if (name.toLowerCase() === 'timezone') this.settings.set('TimeZone', this.#timezone)
  }

  #checkTransaction(): void {
    if (this.transaction !== 'E') return
    throw new ProtocolError(
      sqlState.failedTransaction,
      'A statement of this transaction failed: send ROLLBACK before the next.',
    )
  }

  async #open(): Promise<HeldConnection> {
    // A DuckDB connection reads one result at a time, so a portal that is not at its end keeps its connection.
    if (this.#held?.isOpen === true && !this.#isReading) return this.#held
    this.#isReading = false
    const { sql, user, database } = this.#options
    const id = `postgres-${randomUUID()}`
    this.#held = await sql.connections.openEphemeral(user, id)
    this.#held.path = { catalog: database, schema: this.#schema }
    this.#held.timezone = this.#timezone
    return this.#held
  }

  async #whileRunning<T>(work: (cancellation: Cancellation) => Promise<T>): Promise<T> {
    const cancellation = this.#options.sql.newCancellation()
    this.#running = cancellation
    return work(cancellation)
  }

  /** Notes after each statement which schema and time zone it has set, and ends a connection that is no longer used. */
  #watched(source: RowSource, held: HeldConnection): RowSource {
    const running = this.#running
    this.#isReading = true
    const settle = () => {
      if (this.#held !== held) {
        void this.#options.sql.connections.end(held)
        return
      }
      this.#isReading = false
      this.#schema = held.path.schema
      if (held.timezone === this.#timezone) return
      this.#timezone = held.timezone
      this.settings.set('TimeZone', this.#timezone)
      this.#options.onSetting('TimeZone', this.#timezone)
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
          throw error
        }
      },
      close: (reason) => {
        source.close(reason)
        settle()
      },
    }
  }

  #sqlOf(statement: Statement, command: Command | undefined): { edits: Edit[]; tag?: string } {
    if (command?.kind === 'instead') {
      return { edits: [{ start: 0, end: statement.text.length, text: command.text }], tag: command.tag }
    }
    return { edits: translate(statement, this.#options.user) }
  }

  #answerOf(command: Command) {
    if (command.kind === 'show') return [textField(command.name)]
    if (command.kind === 'showAll') return ['name', 'setting', 'description'].map(textField)
    return undefined
  }

  #execute(command: Exclude<Command, { kind: 'instead' }>): RowSource {
    const fields = this.#answerOf(command)
    switch (command.kind) {
      case 'begin':
        this.transaction = 'T'
        return fixedRows(fields, [], command.tag)
      case 'commit':
      case 'rollback': {
        const tag = this.transaction === 'E' ? 'ROLLBACK' : command.tag
        this.transaction = 'I'
        return fixedRows(fields, [], tag)
      }
      case 'show':
        return fixedRows(fields, [[this.settings.get(command.name) ?? '']], 'SHOW')
      case 'showAll':
        return fixedRows(
          fields,
          this.settings.all().map(([name, value]) => [name, value, '']),
          'SHOW',
        )
      case 'resetAll':
        if (command.tag !== 'DEALLOCATE' && command.tag !== 'DEALLOCATE ALL') this.settings.reset()
        return fixedRows(fields, [], command.tag)
      case 'set': {
        const reported = this.settings.set(command.name, command.value)
        if (reported !== undefined) this.#options.onSetting(reported, this.settings.get(reported)!)
        return fixedRows(fields, [], 'SET')
      }
      default:
        return fixedRows(fields, [], command.tag)
    }
  }
}

const readZone = (value: string): string => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone
  } catch {
    throw new ProtocolError(sqlState.invalidParameter, `There is no time zone ${value.slice(0, 80)}.`)
  }
}
