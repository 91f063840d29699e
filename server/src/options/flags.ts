import { availableParallelism, totalmem } from 'node:os'
import { logLevels, logToStandardError } from '../Logger.js'
import { columnsForms } from '../sql/columnsForm.js'
import * as kinds from './values.js'
import { asFlag as flag, inCode, logDurabilities, type Way } from './values.js'

const anyText = { as: kinds.text, usual: '' }

/** Every option of the service, by its name in code. Types, defaults, `--help` and the docs are made of this table. */
const table = {
  port: flag('--port N', 'port to listen on; 0 takes any free one', { as: kinds.port, usual: '8787' }),
  host: flag('--host ADDRESS', 'address to listen on', { as: kinds.text, usual: '127.0.0.1' }),
  dataFolder: flag('--data FOLDER', 'where everything is kept; made when missing', {
    as: kinds.folder,
    usual: './waymark-data',
  }),
  apiKeys: flag(
    '--api-keys A,B:ENV',
    'keys that write events: a key alone to all environments, key:staging to one',
    {
      as: kinds.list,
      usual: '',
      otherwise: 'the one that the first start has made',
      more: '[Users and roles](operate.md#users-and-roles)',
    },
  ),
  serverKeys: flag('--server-keys A,B:ENV', 'the same for servers, which may also say who somebody is', {
    as: kinds.list,
    usual: '',
    more: '[Signed users](operate.md#signed-users)',
  }),
  identitySecret: flag(
    '--identity-secret SECRET',
    'identify by a page counts only when your server has signed the user’s id with this',
    { as: kinds.text, usual: '', more: '[Signed users](operate.md#signed-users)' },
  ),
  senders: flag(
    '--senders A,B,GIVEN=KEY',
    'programs whose SDKs may send here, or none; and the API key of what an SDK gives in place of one, such as shop.example=pk_web',
    { as: kinds.senders, usual: '', otherwise: 'all', more: '[SDKs](migration.md#sdks-that-you-have)' },
  ),
  environments: flag('--environments A,B', 'environments that exist', {
    as: kinds.environments,
    usual: 'production',
  }),
  users: flag('--users NAME:PASSWORD', 'users who may read and write by SQL, separated by commas', {
    as: kinds.users,
    usual: '',
    otherwise: 'the one that the first start has made',
  }),
  usersFile: flag(
    '--users-file FILE',
    'a JSON file of more users, with roles and hashed passwords; read again on SIGHUP',
    { as: kinds.text, usual: '', more: '[Users and roles](operate.md#users-and-roles)' },
  ),
  ...kinds.oidcFlags,
  geoDatabase: flag(
    '--geo-database FILE',
    'an .mmdb file that gives the country of an address, instead of the browser’s time zone',
    { as: kinds.text, usual: '', more: '[Countries](operate.md#countries)' },
  ),
  planFile: flag('--plan FILE', 'the tracking plan, as npx waymark plan writes it', {
    as: kinds.text,
    usual: '',
    otherwise: 'no event is compared',
    more: '[The tracking plan](plan.md#in-the-service)',
  }),
  trustProxy: flag('--trust-proxy N', 'how many proxies in front add to X-Forwarded-For', {
    as: kinds.number('of proxies', { digits: 1 }),
    usual: () => 0,
    more: '[Behind a proxy](proxy.md#the-visitors-address)',
  }),
  metricsToken: flag('--metrics-token TOKEN', 'reads /metrics without a user; at least 16 letters', anyText),
  mcpTokens: flag(
    '--mcp-tokens A,B:persons',
    'tokens of agents at /mcp, at least 16 letters each; with :persons for SQL and persons, too',
    { as: kinds.list, usual: '', more: '[Agents](api.md#agents)' },
  ),
  webhookHosts: flag(
    '--webhook-hosts A,B',
    'hosts that alerts may call, a name or name:port; public: all with public addresses',
    { as: kinds.list, usual: 'public', more: '[Alerts](api.md#alerts)' },
  ),
  webhookSecret: flag('--webhook-secret SECRET', 'signs what alerts send to webhooks', {
    as: kinds.text,
    usual: '',
    otherwise: 'made of the service’s own secret',
  }),
  smtp: flag(
    '--smtp URL',
    'the server by which alerts send e-mail, such as smtps://user:password@mail.example.com',
    { as: kinds.smtp, usual: '', otherwise: 'alerts send no e-mail' },
  ),
  mailFrom: flag('--mail-from ADDRESS', 'the sender of that e-mail', anyText),
  origins: flag(
    '--origins A,B',
    'origins of pages that may use the lakehouse group, such as http://127.0.0.1:*',
    { as: kinds.origins, usual: '' },
  ),
  basePath: flag('--base-path PATH', 'what a proxy may leave on the path', {
    as: kinds.basePath,
    usual: '/w',
    more: '[proxy.md](proxy.md)',
  }),
  idCookie: flag('--id-cookie', '/ids keeps two ids in a cookie that scripts cannot read', {
    as: kinds.toggle,
    usual: '',
    otherwise: 'off',
    more: '[proxy.md](proxy.md#safaris-seven-days)',
  }),
  filesFolder: flag('--files FOLDER', 'the library’s files for script tags, served as /waymark.….js', {
    as: kinds.text,
    usual: '',
    otherwise: 'those that came with it',
  }),
  catalogs: flag(
    '--catalogs A,B',
    'catalogs that SQL may write to, one DuckDB file each; names of small letters, digits and _',
    { as: kinds.catalogs, usual: 'lakehouse' },
  ),
  postgresPort: flag('--postgres-port N', 'port for reading by the Postgres protocol; 0 takes any free one', {
    as: kinds.port,
    more: '[Postgres](api.md#postgres)',
  }),
  postgresTlsCert: flag('--postgres-tls-cert FILE', 'a certificate in PEM, for TLS at that port', {
    as: kinds.text,
  }),
  postgresTlsKey: flag('--postgres-tls-key FILE', 'its key in PEM', { as: kinds.text }),
  memoryLimit: flag('--memory-limit SIZE', 'what DuckDB may hold in memory, such as 512MB or 4GiB', {
    as: kinds.size,
    usual: () => `${Math.min(4096, Math.floor(totalmem() / 2 ** 21))}MiB`,
    otherwise: 'half the machine’s, at most 4 GiB',
  }),
  // DuckDB does not count all of its memory, so the process needs more than DuckDB's own limit.
  engineMemoryBytes: flag(
    '--engine-memory SIZE',
    'what the engine process may hold in all, before it is ended and started again',
    {
      as: kinds.bytes,
      usual: ({ memoryLimit }) => 1.5 * kinds.bytesOf(memoryLimit) + 2 ** 29,
      otherwise: '1.5 × the limit above, and 512 MiB',
    },
  ),
  minFreeDiskBytes: flag('--min-free-disk SIZE', 'disk that statements and files leave to what is accepted', {
    as: kinds.bytes,
    otherwise: '1 GiB, and a tenth of a disk that is smaller than 10 GiB',
    more: '[A full disk](operate.md#when-the-disk-is-full)',
  }),
  // Each thread holds rows of its own: with two threads in 256 MiB queries failed that one thread could answer.
  threads: flag('--threads N', 'threads that DuckDB computes with while queries run', {
    as: kinds.number('from 1', { digits: 3 }),
    usual: ({ memoryLimit }) =>
      Math.max(1, Math.min(availableParallelism(), Math.floor(kinds.bytesOf(memoryLimit) / 2 ** 28))),
    otherwise: 'one for each processor, and at most one for each 256 MiB of --memory-limit',
  }),
  statementTimeoutMs: flag('--statement-timeout N', 'seconds that one SQL statement may run', {
    as: kinds.number('of seconds', { digits: 6, times: 1000 }),
    usual: '600',
  }),
  maxColumns: flag('--max-columns N', 'columns up to which a table gets new ones by /append or a file', {
    as: kinds.number('of columns', { digits: 5 }),
    usual: '1000',
  }),
  maxBacklogRows: flag('--max-backlog N', 'rows accepted ahead of DuckDB, beyond which more are refused', {
    as: kinds.number('of rows', { digits: 10 }),
    usual: '2000000',
  }),
  maxLagMs: flag(
    '--max-lag N',
    'seconds that an accepted row may wait to be stored, beyond which more are refused',
    { as: kinds.number('of seconds', { digits: 5, times: 1000 }), usual: '3' },
  ),
  insertIdWindowMs: flag(
    '--insert-id-window N',
    'days for which a second copy of an event is known by its insert_id',
    { as: kinds.days, usual: '15' },
  ),
  retentionDays: flag('--retention ENV=400d', 'how many days events are kept, by environment', {
    as: kinds.daysByName,
    usual: '',
    otherwise: 'for ever',
    more: '[Retention](privacy.md#delete-events-by-age)',
  }),
  retentionArchive: flag(
    '--retention-archive FOLDER',
    'where events are written before --retention deletes them',
    { as: kinds.folder },
  ),
  clockChecked: flag('--clock-checked DATE', 'a day on which the clock was found right, such as 2027-01-31', {
    as: kinds.day,
    more: '[Retention](privacy.md#delete-events-by-age)',
  }),
  archiveFolder: flag(
    '--archive FOLDER',
    'where events of closed days go, as Parquet files that queries read',
    { as: kinds.folder, more: '[Archive](back-up.md#move-old-events-to-parquet-files)' },
  ),
  archiveAfterDays: flag('--archive-after 30d', 'how many days old a whole day is when it goes there', {
    as: kinds.wholeDays,
    usual: '30d',
  }),
  log: flag(
    '--log URL',
    'postgres://…: accepted events go to a PostgreSQL database that several processes share',
    {
      as: kinds.logUrl,
      otherwise: 'files in the data folder',
      more: '[The log in PostgreSQL](operate.md#put-the-log-in-postgresql)',
    },
  ),
  logDurability: flag(
    '--log-durability WHAT',
    'quorum, or local: that PostgreSQL has no standby that it waits for',
    { as: kinds.oneOf(logDurabilities), usual: 'quorum' },
  ),
  logReadersKeptMs: flag(
    '--log-readers-kept N',
    'days for which that log is kept for a query process that is away, for the latest backup, and for states',
    { as: kinds.days, usual: '7' },
  ),
  role: flag('--role ROLE', 'both; ingest or engine runs one of the two processes alone, with --log', {
    as: kinds.oneOf(['both', 'ingest', 'engine']),
    usual: 'both',
    more: '[Roles](operate.md#roles-of-processes)',
  }),
  maxConnections: flag('--max-connections N', 'connections at once', {
    as: kinds.number('of connections'),
    usual: '10000',
  }),
  maxConnectionsPerAddress: flag(
    '--max-connections-per-address N',
    'connections at once from one address; a proxy in front is one',
    { as: kinds.number('of connections'), usual: '1000' },
  ),
  columns: flag('--columns FORM', 'objects or labels: how /query describes columns by default', {
    as: kinds.oneOf(columnsForms),
    usual: 'objects',
    more: '[Clients](api.md#clients)',
  }),
  quiet: flag('--quiet', 'writes no log; it is --log-level silent', {
    as: kinds.toggle,
    usual: '',
    otherwise: 'off',
  }),
  logLevel: flag('--log-level LEVEL', 'debug, info, warn, error or silent', {
    as: kinds.oneOf(logLevels),
    usual: ({ quiet }) => (quiet ? 'silent' : 'info'),
    otherwise: 'info',
  }),
  screensFolder: inCode('the folder of the built screens', () => '', 'those that came with it'),
  maxBacklogBytes: inCode(
    'bytes of bodies accepted ahead of DuckDB, beyond which more are refused',
    () => 2 ** 30,
    '1 GiB',
  ),
  headersWithinMs: inCode('milliseconds in which a client sends the headers of a request', () => 10_000),
  syncWaitMs: inCode('milliseconds that sync=true waits', () => 30_000),
  now: inCode('tells alerts the time, in Unix milliseconds', () => Date.now, 'the system’s clock'),
  stuckAfterMs: inCode(
    'milliseconds that a cancelled statement may run on, before the engine is ended',
    () => 15_000,
  ),
  maxQueries: inCode(
    'statements that run at once; more wait',
    () => Math.max(2, Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) - 8),
    'eight less than UV_THREADPOOL_SIZE, and at least 2',
  ),
  writeLog: inCode('takes each line of the log', () => logToStandardError, 'writes to standard error'),
}

type Table = typeof table
type ValueOf<Row> = Row extends { as: kinds.Kind<infer T> }
  ? T | (Row extends { usual: unknown } ? never : undefined)
  : Row extends { usual: () => infer T }
    ? T
    : never

/** Every option with its value; what is not set and has no default is undefined. */
export type CompleteOptions = { [Name in keyof Table]: ValueOf<Table[Name]> }

/** What the service is started with. docs/flags.md says what each option means. */
export type ServerOptions = Partial<CompleteOptions>

/** What a process is for: taking events, answering queries, or both. */
export type Role = CompleteOptions['role']

export interface Flag extends Way<unknown> {
  /** Its option in code. */
  option: string
  name: string
  /** How `--help` names its value; a switch has none. */
  value: string | undefined
  about: string
}

const rows = Object.entries<Omit<Flag, 'option'> | ReturnType<typeof inCode>>(table)

export const flags = rows.flatMap(([option, row]): Flag[] => ('as' in row ? [{ option, ...row }] : []))

/** The options that have no flag. */
export const codeOptions = rows.flatMap(([option, row]) => ('as' in row ? [] : [{ option, ...row }]))

export const completeOptions = (given: ServerOptions): CompleteOptions => {
  const complete: Record<string, unknown> = { ...given }
  for (const [option, row] of rows) {
    if (typeof row.usual === 'function') complete[option] ??= row.usual(complete as CompleteOptions)
    else if ('as' in row && row.usual !== undefined) complete[option] ??= row.as.read(row.usual, row.name)
  }
  return complete as CompleteOptions
}
