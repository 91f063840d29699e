import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { quoteIdentifier } from './quoteIdentifier.js'
import { quoteText } from './quoteText.js'
import { StoreProblem } from './StoreProblem.js'

export interface DatabaseOptions {
  folder: string
  catalogs: readonly string[]
  memoryLimit: string
}

export interface Database {
  connect(): Promise<DuckDBConnection>
  /** After all connections are closed: writes the logs into the files and lets go of them. */
  close(): Promise<void>
}

/** What a connection of ours may still set for itself. */
const sessionSettings = [
  'TimeZone',
  'search_path',
  'enable_progress_bar',
  'enable_progress_bar_print',
  'progress_bar_time',
]

const lockWaitMs = 1500

const attach = async (connection: DuckDBConnection, folder: string, catalog: string) => {
  const file = join(folder, `${catalog}.duckdb`)
  const deadline = Date.now() + lockWaitMs
  for (;;) {
    try {
      await connection.run(`ATTACH ${quoteText(file)} AS ${quoteIdentifier(catalog)}`)
      return
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!
      const locked = /could not set lock/i.test(reason)
      if (!locked) {
        throw new StoreProblem(
          `The store is damaged: DuckDB cannot open ${file} (${reason}). Nothing was changed; restore the file from a backup.`,
        )
      }
      // A process that was just killed keeps its lock for a moment.
      if (Date.now() > deadline) {
        throw new StoreProblem(
          `The data folder ${folder} is in use by another waymark-server; stop it, or choose another folder by --data.`,
        )
      }
    }
    await delay(100)
  }
}

/**
 * One DuckDB instance with one file per catalog. The settings keep every statement, ours and a
 * user's, away from the file system and the network; after the last of them they cannot be changed.
 */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: options.memoryLimit,
    temp_directory: join(options.folder, 'temp'),
    wal_autocheckpoint: '256MB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  })
  try {
    const connection = await instance.connect()
    for (const catalog of options.catalogs) await attach(connection, options.folder, catalog)
    // An instance lives on until the last statement of it is collected as garbage. If it wrote to its
    // files then, it would write over a later instance that has opened them meanwhile.
    await connection.run('PRAGMA disable_checkpoint_on_shutdown')
    for (const setting of [
      "TimeZone = 'UTC'",
      'enable_external_access = false',
      `allowed_configs = [${sessionSettings.map(quoteText).join(', ')}]`,
      'lock_configuration = true',
    ]) {
      await connection.run(`SET GLOBAL ${setting}`)
    }
    connection.closeSync()
  } catch (error) {
    instance.closeSync()
    throw error
  }
  return {
    connect: () => instance.connect(),
    async close() {
      const connection = await instance.connect()
      for (const catalog of options.catalogs) {
        // Without it the next start reads the write-ahead log instead, which only takes longer.
        await connection.run(`CHECKPOINT ${quoteIdentifier(catalog)}`).catch(() => undefined)
      }
      connection.closeSync()
      instance.closeSync()
    },
  }
}
