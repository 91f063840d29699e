import type { DuckDBConnection } from '@duckdb/node-api'
import { dataChanges, definitionChanges } from '../../duckdb/transactions.js'
import { createConstants, createViews, countReferences, fillReferences, fillStored } from './createCatalog.js'

/**
 * What PostgreSQL has in `pg_catalog` and `information_schema`, in a catalog in memory. It is made when the first
 * statement names it, and filled anew before a statement that reads it when something has changed since.
 */
export class Catalog {
  readonly #connect: () => Promise<DuckDBConnection>
  #connection: Promise<DuckDBConnection> | undefined
  /** The changes that it shows; undefined where that is not known. */
  #filledAt: string | undefined
  #filling: Promise<void> | undefined
  #macros: ReadonlySet<string> = new Set()
  #macrosAt: number | undefined

  constructor(connect: () => Promise<DuckDBConnection>) {
    this.#connect = connect
  }

  /** Makes it where it is not there yet, and fills it where `isRead` and something has changed. */
  async prepare(isRead: boolean): Promise<void> {
    this.#connection ??= this.#create().catch((error: unknown) => {
      this.#connection = undefined
      throw error
    })
    const connection = await this.#connection
    if (!isRead) return
    if (this.#isFresh()) return
    // What is being filled may have begun before the last change; what begins behind it has not.
    await this.#filling?.catch(() => undefined)
    if (this.#isFresh()) return
    this.#filling ??= this.#fill(connection).finally(() => (this.#filling = undefined))
    await this.#filling
  }

  /** The full names of the macros that users have made, in small letters. */
  async macros(): Promise<ReadonlySet<string>> {
    const at = definitionChanges.count
    if (at === undefined || at !== this.#macrosAt) {
      const connection = await this.#connect()
      try {
        const found = await connection.runAndReadAll(macros)
        this.#macros = new Set(found.getRows().flat() as string[])
        this.#macrosAt = at
      } finally {
        connection.closeSync()
      }
    }
    return this.#macros
  }

  #isFresh(): boolean {
    return this.#filledAt !== undefined && this.#filledAt === changes()
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined)
    await this.#filling?.catch(() => undefined)
    connection?.closeSync()
  }

  async #create(): Promise<DuckDBConnection> {
    const connection = await this.#connect()
    try {
      await connection.run(createConstants)
      await this.#fill(connection)
      await connection.run(createViews)
    } catch (error) {
      connection.closeSync()
      throw error
    }
    return connection
  }

  async #fill(connection: DuckDBConnection): Promise<void> {
    // Nobody knows yet whether a change under way is shown.
    const at = changes()
    await connection.run('BEGIN TRANSACTION')
    try {
      const files = await connection.runAndReadAll(databases)
      await connection.run(fillStored(files.getRows().flat() as string[]).join(';\n'))
      const references = await connection.runAndReadAll(countReferences)
      if (references.getRows()[0]![0] !== 0n) await connection.run(fillReferences)
      await connection.run('COMMIT')
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
