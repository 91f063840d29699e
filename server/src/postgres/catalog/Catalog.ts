import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteText } from '../../duckdb/quote.js'
import { createMutex, dataChanges, definitionChanges } from '../../duckdb/transactions.js'
import {
  countReferences,
  createConstants,
  createPlace,
  fillPlace,
  fillReferences,
  fillStored,
  fingerprint,
} from './createCatalog.js'

/**
 * What PostgreSQL has in `pg_catalog` and `information_schema`, in a catalog in memory. It is made when the first
 * statement names it. A relation that tells of tables is a table itself, which is filled before a statement that reads
 * it when the schema has changed since.
 */
export class Catalog {
  readonly #connect: () => Promise<DuckDBConnection>
  #connection: Promise<DuckDBConnection> | undefined
  /** The changes that it shows; undefined where that is not known. */
  #filledAt: string | undefined
  #macros: ReadonlySet<string> = new Set()
  #macrosAt: number | undefined
  /** The schema that it shows. */
  #fingerprint: string | undefined
  /** The relations that are filled, by the database of those who see them, and the schema that they show. */
  readonly #filled = new Map<string, { fingerprint: string; names: ReadonlySet<string> }>()
  readonly #inTurn = createMutex()

  constructor(connect: () => Promise<DuckDBConnection>) {
    this.#connect = connect
  }

  /** Makes it where it is not there yet, and fills relations for a statement in a database that reads them. */
  async prepare(database: string, relations: ReadonlySet<string>): Promise<void> {
    this.#connection ??= this.#create().catch((error: unknown) => {
      this.#connection = undefined
      throw error
    })
    const connection = await this.#connection
    if (relations.size === 0 || this.#isFresh(database, relations)) return
    await this.#inTurn(async () => {
      if (!this.#isFresh(database, relations)) await this.#fill(connection, database, relations)
    })
  }

  /** The full names of the macros that users have made, in small letters. */
  async macros(): Promise<ReadonlySet<string>> {
    const at = definitionChanges.count
    // While a change is under way the last list is as good as any.
    if (this.#macrosAt === undefined || (at !== undefined && at !== this.#macrosAt)) {
      const connection = await this.#connect()
      try {
        const found = await connection.runAndReadAll(macros)
        this.#macros = new Set(found.getRows().flat() as string[])
        this.#macrosAt = at ?? 0
      } finally {
        connection.closeSync()
      }
    }
    return this.#macros
  }

  /** The schemas that a database has by itself. */
  async schemasOf(database: string): Promise<ReadonlySet<string>> {
    await this.prepare(database, new Set())
    const connection = await this.#connection!
    const sql = `SELECT lower(schema_name) FROM duckdb_schemas() WHERE database_name = ${quoteText(database)}`
    return this.#inTurn(
      async () => new Set((await connection.runAndReadAll(sql)).getRows().flat() as string[]),
    )
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined)
    await this.#inTurn(() => Promise.resolve(connection?.closeSync()))
  }

  #isFresh(database: string, relations: ReadonlySet<string>): boolean {
    if (this.#filledAt === undefined || this.#filledAt !== changes()) return false
    return this.#missing(database, relations).length === 0
  }

  /** When the schema has changed all of a database's are filled together: a statement that runs already reads several. */
  #missing(database: string, relations: ReadonlySet<string>, print = this.#fingerprint): string[] {
    const { fingerprint: shown, names = [] } = this.#filled.get(database) ?? {}
    const known = new Set(names)
    return shown === print
      ? [...relations].filter((name) => !known.has(name))
      : [...new Set([...known, ...relations])]
  }

  async #create(): Promise<DuckDBConnection> {
    const connection = await this.#connect()
    try {
      await connection.run(createConstants)
    } catch (error) {
      connection.closeSync()
      throw error
    }
    return connection
  }

  async #fill(connection: DuckDBConnection, database: string, relations: ReadonlySet<string>): Promise<void> {
    // Nobody knows yet whether a change under way is shown.
    const at = changes()
    const one = async (sql: string) => (await connection.runAndReadAll(sql)).getRows().flat()
    await connection.run('BEGIN TRANSACTION')
    try {
      const files = (await one(databases)) as string[]
      const [print] = (await one(fingerprint(files))) as [string]
      const isSame = print === this.#fingerprint
      if (!isSame) {
        await connection.run(fillStored(files).join(';\n'))
        if ((await one(countReferences))[0] !== 0n) await connection.run(fillReferences)
      }
      if (!this.#filled.has(database)) await connection.run(createPlace(database))
      const missing = this.#missing(database, relations, print)
      if (missing.length > 0) await connection.run(fillPlace(database, missing))
      await connection.run('COMMIT')
      const names = new Set([...(this.#filled.get(database)?.names ?? []), ...missing])
      this.#filled.set(database, { fingerprint: print, names })
      this.#fingerprint = print
      this.#filledAt = at
    } catch (error) {
      await connection.run('ROLLBACK').catch(() => undefined)
      throw error
    }
  }
}

const macros = `SELECT lower(concat_ws('.', database_name, schema_name, function_name)) FROM duckdb_functions() WHERE NOT internal AND function_type LIKE '%macro' AND database_name IN (SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL)`

const databases = 'SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL'

const changes = (): string | undefined => {
  const [data, definitions] = [dataChanges.count, definitionChanges.count]
  return data === undefined || definitions === undefined ? undefined : `${data} ${definitions}`
}
