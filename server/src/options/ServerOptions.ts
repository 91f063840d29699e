import { availableParallelism, totalmem } from 'node:os'
import { type LogLevel, logToStandardError } from '../Logger.js'
import type { ColumnsForm } from '../sql/columnsForm.js'
import type { LogDurability } from './readLogUrl.js'

/** What a process is for: taking events, answering queries, or both. */
export type Role = 'both' | 'ingest' | 'engine'

export interface ServerOptions {
  /** @defaultValue '127.0.0.1' */
  host?: string
  /** 0 takes any free port. @defaultValue 8787 */
  port?: number
  /** Port for reading by the Postgres protocol; 0 takes any free port. @defaultValue no port */
  postgresPort?: number | undefined
  /** Files of a certificate and its key, in PEM, for TLS at the Postgres port. @defaultValue no TLS */
  postgresTls?: { cert: string; key: string } | undefined
  /** The prefix that a proxy in front leaves on the path; the service answers with it and without. @defaultValue '/w' */
  basePath?: string
  /** Keep two ids in a cookie that only the service can read (`/ids`, `waymark/id-cookie`). @defaultValue false */
  idCookie?: boolean
  /** Folder of the library's files for script tags. @defaultValue those that came with the service */
  filesFolder?: string
  /** Folder of the built screens. @defaultValue those that came with the service */
  screensFolder?: string
  /** Folder of the store, which is made when it is missing. @defaultValue './waymark-data' */
  dataFolder?: string
  /** URL of a PostgreSQL database that accepted requests go to, such as `postgres://…`. @defaultValue files in the data folder */
  log?: string | undefined
  /** Whether a quorum of PostgreSQL servers, or one server, must have a request on disk before it is accepted. @defaultValue 'quorum' */
  logDurability?: LogDurability
  /** How long the log in PostgreSQL is kept for a query process that is away, in milliseconds. @defaultValue 7 days */
  logReadersKeptMs?: number
  /** Keys that write events: `key` to all environments, `key:staging` to one. @defaultValue [] */
  apiKeys?: readonly string[]
  /** Keys of servers, in the form of `apiKeys`: they are secret, and may say who somebody is. @defaultValue [] */
  serverKeys?: readonly string[]
  /** The secret by which a site's server signs the ids of users that its pages may say; @defaultValue '', none is asked for */
  identitySecret?: string
  /** @defaultValue ['production'] */
  environments?: readonly string[]
  /** Passwords for the lakehouse group, by user name; these users may write. @defaultValue {} */
  users?: Readonly<Record<string, string>>
  /** A JSON file of more users, with hashed passwords and with roles. @defaultValue none */
  usersFile?: string
  /** A file in MaxMind's format by which the country of an event is found from its address, which is not kept. @defaultValue none */
  geoDatabase?: string
  /** A JSON file of the events that are planned, with the schemas of their properties; each event is compared with it. @defaultValue none */
  planFile?: string
  /** How many proxies in front name the visitor's address in `X-Forwarded-For`. @defaultValue 0 */
  trustProxy?: number
  /** A token that reads `/metrics` without a user, sent as `Authorization: Bearer`. @defaultValue none */
  metricsToken?: string
  /** Tokens of agents that ask by `/mcp`: `token` for figures, `token:persons` for SQL, too. @defaultValue [] */
  mcpTokens?: readonly string[]
  /** Origins of pages that may use the lakehouse group, such as `https://admin.example`. @defaultValue [] */
  origins?: readonly string[]
  /** Catalogs that user SQL may write to, each a file of its own. @defaultValue ['lakehouse'] */
  catalogs?: readonly string[]
  /** What DuckDB may hold in memory, as DuckDB writes sizes: `512MB`, `4GiB`. @defaultValue half of the machine's memory, at most 4 GiB */
  memoryLimit?: string
  /** Threads that DuckDB computes with while a query runs. @defaultValue as many as there are processors, and at most one for each 256 MiB of memoryLimit */
  threads?: number
  /** The memory that the engine process may hold before it is ended and started again, in bytes. @defaultValue 1.5 × memoryLimit + 512 MiB */
  engineMemoryBytes?: number
  /** Disk that statements, `/append` and `/upload` leave free for accepted events, in bytes. @defaultValue 1 GiB, and a tenth of a disk that is smaller than 10 GiB */
  minFreeDiskBytes?: number | undefined
  /** How long an event is remembered by its insert_id, in milliseconds. @defaultValue 15 days */
  insertIdWindowMs?: number
  /** How many days events are kept, by environment; an environment that is not named keeps them for ever. @defaultValue {} */
  retentionDays?: Readonly<Record<string, number>>
  /** Folder to which events are written before they are deleted for their age. @defaultValue none */
  retentionArchive?: string | undefined
  /** A day, such as 2027-01-31, on which the clock was found right though the service had not run for more than a week. @defaultValue none */
  clockChecked?: string | undefined
  /** Folder to which events of closed days move, as Parquet files that queries read. @defaultValue none */
  archiveFolder?: string | undefined
  /** How many days old a whole day must be before its events move to `archiveFolder`. @defaultValue 30 */
  archiveAfterDays?: number
  /** Columns that a table may have to get new ones by `/append`, or by a file that makes it. @defaultValue 1,000 */
  maxColumns?: number
  /** Accepted rows that may wait for DuckDB before more are refused with 503. @defaultValue 2,000,000 */
  maxBacklogRows?: number
  /** How long an accepted row may wait for DuckDB while rows are stored, in milliseconds. @defaultValue 3000 */
  maxLagMs?: number
  /** Bytes of their bodies that may wait for DuckDB before more are refused with 503. @defaultValue 1 GiB */
  maxBacklogBytes?: number
  /** Connections at once, of all clients. @defaultValue 10,000 */
  maxConnections?: number
  /** Connections at once from one address; a proxy in front counts as one address. @defaultValue 1,000 */
  maxConnectionsPerAddress?: number
  /** How long a client may take to send a request's headers, in milliseconds. @defaultValue 10,000 */
  headersWithinMs?: number
  /** How long `sync=true` waits, in milliseconds. @defaultValue 30,000 */
  syncWaitMs?: number
  /** How long one SQL statement may run, in milliseconds. @defaultValue 600,000 */
  statementTimeoutMs?: number
  /** How long a statement may run on after it was cancelled, in milliseconds; then the engine is ended. @defaultValue 15,000 */
  stuckAfterMs?: number
  /** SQL statements that run at once; more wait. @defaultValue eight less than UV_THREADPOOL_SIZE, at least 2 */
  maxQueries?: number
  /** How `/query` describes columns to clients that do not say which form they read. @defaultValue 'objects' */
  columns?: ColumnsForm
  /** @defaultValue 'info' */
  logLevel?: LogLevel
  /** Takes each log line. @defaultValue writes to standard error */
  writeLog?: (line: string) => void
}

export type CompleteOptions = Required<ServerOptions>

const units: Record<string, number> = { k: 10, m: 20, g: 30, t: 40 }

/** The bytes of a size as DuckDB writes it. MB counts as MiB, so that the result is never too small. */
export const bytesOf = (size: string): number => {
  const [, value, unit = ''] = /^([\d.]+)\s*([KMGT]?)/i.exec(size) ?? []
  return Number(value) * 2 ** (units[unit.toLowerCase()] ?? 0)
}

const defaultMemoryLimit = `${Math.min(4096, Math.floor(totalmem() / 2 ** 21))}MiB`

export const completeOptions = (options: ServerOptions): CompleteOptions => ({
  host: '127.0.0.1',
  port: 8787,
  postgresPort: undefined,
  postgresTls: undefined,
  basePath: '/w',
  idCookie: false,
  filesFolder: '',
  screensFolder: '',
  dataFolder: './waymark-data',
  log: undefined,
  logDurability: 'quorum',
  logReadersKeptMs: 7 * 86_400_000,
  apiKeys: [],
  serverKeys: [],
  identitySecret: '',
  environments: ['production'],
  users: {},
  usersFile: '',
  geoDatabase: '',
  planFile: '',
  trustProxy: 0,
  metricsToken: '',
  mcpTokens: [],
  origins: [],
  catalogs: ['lakehouse'],
  memoryLimit: defaultMemoryLimit,
  // Each thread holds rows of its own: with two threads in 256 MiB queries failed that one thread could answer.
  threads: Math.max(
    1,
    Math.min(
      availableParallelism(),
      Math.floor(bytesOf(options.memoryLimit ?? defaultMemoryLimit) / 2 ** 28),
    ),
  ),
  // DuckDB does not count all of its memory, so the process needs more than DuckDB's own limit.
  engineMemoryBytes: 1.5 * bytesOf(options.memoryLimit ?? defaultMemoryLimit) + 2 ** 29,
  minFreeDiskBytes: undefined,
  insertIdWindowMs: 15 * 86_400_000,
  retentionDays: {},
  retentionArchive: undefined,
  clockChecked: undefined,
  archiveFolder: undefined,
  archiveAfterDays: 30,
  maxColumns: 1000,
  maxBacklogRows: 2_000_000,
  maxBacklogBytes: 2 ** 30,
  maxLagMs: 3000,
  maxConnections: 10_000,
  maxConnectionsPerAddress: 1000,
  headersWithinMs: 10_000,
  syncWaitMs: 30_000,
  statementTimeoutMs: 600_000,
  stuckAfterMs: 15_000,
  maxQueries: Math.max(2, Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) - 8),
  columns: 'objects',
  logLevel: 'info',
  writeLog: logToStandardError,
  ...options,
})
