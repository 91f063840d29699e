import { totalmem } from 'node:os'
import type { LogLevel } from '../Logger.js'

export interface ServerOptions {
  /** @defaultValue '127.0.0.1' */
  host?: string
  /** 0 takes any free port. @defaultValue 8787 */
  port?: number
  /** Made when it is not there. @defaultValue './waymark-data' */
  dataFolder?: string
  /** Keys of the product analytics group. @defaultValue [] */
  apiKeys?: readonly string[]
  /** @defaultValue ['production'] */
  environments?: readonly string[]
  /** Passwords of the lakehouse group by user name. @defaultValue {} */
  users?: Readonly<Record<string, string>>
  /** Catalogs that user SQL may write to, each a file of its own. @defaultValue ['lakehouse'] */
  catalogs?: readonly string[]
  /** What DuckDB may hold in memory, as it writes sizes. @defaultValue half of the machine's, at most 4GB */
  memoryLimit?: string
  /** How long an event is remembered by its insert_id. @defaultValue 15 days */
  insertIdWindowMs?: number
  /** Accepted rows that may wait for DuckDB before more are refused with 503. @defaultValue 2,000,000 */
  maxBacklogRows?: number
  /** The same for the bytes of their bodies. @defaultValue 1 GiB */
  maxBacklogBytes?: number
  /** How long `sync=true` waits. @defaultValue 30,000 */
  syncWaitMs?: number
  /** How long one SQL statement may run. @defaultValue 600,000 */
  statementTimeoutMs?: number
  /** SQL statements that run at once; more wait. @defaultValue six less than UV_THREADPOOL_SIZE, at least 2 */
  maxQueries?: number
  /** @defaultValue 'info' */
  logLevel?: LogLevel
  /** Where log lines go. @defaultValue standard error */
  writeLog?: (line: string) => void
}

export type CompleteOptions = Required<ServerOptions>

export const completeOptions = (options: ServerOptions): CompleteOptions => ({
  host: '127.0.0.1',
  port: 8787,
  dataFolder: './waymark-data',
  apiKeys: [],
  environments: ['production'],
  users: {},
  catalogs: ['lakehouse'],
  memoryLimit: `${Math.min(4096, Math.floor(totalmem() / 2 ** 21))}MiB`,
  insertIdWindowMs: 15 * 86_400_000,
  maxBacklogRows: 2_000_000,
  maxBacklogBytes: 2 ** 30,
  syncWaitMs: 30_000,
  statementTimeoutMs: 600_000,
  maxQueries: Math.max(2, Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) - 6),
  logLevel: 'info',
  writeLog: (line) => void process.stderr.write(line),
  ...options,
})
