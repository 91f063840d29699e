import { type LogLevel, logLevels } from '../Logger.js'
import { type ColumnsForm, columnsForms } from '../sql/columnsForm.js'
import { type LogDurability, logDurabilities } from './readLogUrl.js'
import {
  asBasePath,
  asBytes,
  asCatalogs,
  asEnvironments,
  asLogUrl,
  asOrigins,
  asChoice,
  asDay,
  asDays,
  asFolder,
  asNumber,
  asPem,
  asPort,
  asRetention,
  asSizeText,
  asText,
  asUsers,
  type Read,
  set,
  splitList,
} from './values.js'

/** A flag of the service: the command line, `--help` and the docs all take it from the table below. */
export interface Flag {
  name: string
  /** How `--help` names the flag's value; a switch has none. */
  value?: string
  /** One sentence for `--help` and the docs. */
  about: string
  /** The default, as it would be written. */
  usual?: string
  /** The default in words, when it cannot be written as a value. @defaultValue 'none' */
  otherwise?: string
  /** A link to the part of the docs that says more. */
  more?: string
  /** Several flags of this name count as one, joined by commas. */
  isList?: true
  read: Read
}

export const flags: readonly Flag[] = [
  {
    name: 'port',
    value: 'N',
    about: 'port to listen on; 0 takes any free one',
    usual: '8787',
    read: asPort('port'),
  },
  {
    name: 'host',
    value: 'ADDRESS',
    about: 'address to listen on',
    usual: '127.0.0.1',
    read: asText('host'),
  },
  {
    name: 'data',
    value: 'FOLDER',
    about: 'where everything is kept; made for its owner alone when it is missing',
    usual: './waymark-data',
    read: asFolder('dataFolder'),
  },
  {
    name: 'api-keys',
    value: 'A,B:ENV',
    about: 'keys that write events: a key alone to all environments, key:staging to one',
    otherwise: 'the one that the first start has made',
    more: '[Users and roles](operate.md#users-and-roles)',
    isList: true,
    read: set('apiKeys', splitList),
  },
  {
    name: 'server-keys',
    value: 'A,B:ENV',
    about: 'keys of servers, which are in no page: the same, and they may say who somebody is',
    more: '[Signed users](operate.md#signed-users)',
    isList: true,
    read: set('serverKeys', splitList),
  },
  {
    name: 'identity-secret',
    value: 'SECRET',
    about:
      'what a page says of who somebody is counts only when its server has signed the user’s id with this',
    more: '[Signed users](operate.md#signed-users)',
    read: asText('identitySecret'),
  },
  {
    name: 'environments',
    value: 'A,B',
    about: 'environments that exist',
    usual: 'production',
    isList: true,
    read: asEnvironments,
  },
  {
    name: 'users',
    value: 'NAME:PASSWORD',
    about: 'users who may read and write by SQL, separated by commas',
    otherwise: 'the one that the first start has made',
    isList: true,
    read: asUsers,
  },
  {
    name: 'users-file',
    value: 'FILE',
    about: 'a JSON file of more users, with roles and hashed passwords; read again on SIGHUP',
    more: '[Users and roles](operate.md#users-and-roles)',
    read: asText('usersFile'),
  },
  {
    name: 'geo-database',
    value: 'FILE',
    about:
      'a file in MaxMind’s format (.mmdb) that gives the country of an address; without it the browser’s time zone does',
    more: '[Countries](operate.md#countries)',
    read: asText('geoDatabase'),
  },
  {
    name: 'plan',
    value: 'FILE',
    about:
      'the tracking plan, as npx waymark plan writes it; each event is stored with what the plan says of it',
    otherwise: 'no event is compared',
    more: '[The tracking plan](plan.md#in-the-service)',
    read: asText('planFile'),
  },
  {
    name: 'trust-proxy',
    value: 'N',
    about: 'how many proxies in front add to X-Forwarded-For, which then names the visitor’s address',
    more: '[Behind a proxy](proxy.md#the-visitors-address)',
    read: asNumber('trustProxy', 'of proxies', { digits: 1 }),
  },
  {
    name: 'metrics-token',
    value: 'TOKEN',
    about: 'reads /metrics without a user; at least 16 letters',
    read: asText('metricsToken'),
  },
  {
    name: 'mcp-tokens',
    value: 'A,B:persons',
    about:
      'tokens of agents that ask by /mcp, each at least 16 letters: token for figures, token:persons for SQL and persons, too',
    more: '[Agents](api.md#agents)',
    isList: true,
    read: set('mcpTokens', splitList),
  },
  {
    name: 'origins',
    value: 'A,B',
    about:
      'origins of pages that may use the lakehouse group; http://127.0.0.1:* is every port of that address',
    isList: true,
    read: asOrigins,
  },
  {
    name: 'base-path',
    value: 'PATH',
    about: 'what a proxy leaves on the path; requests are answered with it and without',
    usual: '/w',
    more: '[proxy.md](proxy.md)',
    read: asBasePath,
  },
  {
    name: 'id-cookie',
    about: '/ids keeps two ids in a cookie that scripts cannot read',
    otherwise: 'off',
    more: '[proxy.md](proxy.md#safaris-seven-days)',
    read: set('idCookie', () => true),
  },
  {
    name: 'files',
    value: 'FOLDER',
    about: 'the library’s files for script tags, served as /waymark.….js',
    otherwise: 'those that came with it',
    read: asText('filesFolder'),
  },
  {
    name: 'catalogs',
    value: 'A,B',
    about: 'catalogs that SQL may write to, one DuckDB file each; names of small letters, digits and _',
    usual: 'lakehouse',
    isList: true,
    read: asCatalogs,
  },
  {
    name: 'postgres-port',
    value: 'N',
    about: 'port for reading by the Postgres protocol; 0 takes any free one',
    more: '[Postgres](api.md#postgres)',
    read: asPort('postgresPort'),
  },
  {
    name: 'postgres-tls-cert',
    value: 'FILE',
    about: 'a certificate in PEM, for TLS at that port',
    read: asPem('cert'),
  },
  { name: 'postgres-tls-key', value: 'FILE', about: 'its key in PEM', read: asPem('key') },
  {
    name: 'memory-limit',
    value: 'SIZE',
    about: 'what DuckDB may hold in memory, such as 512MB or 4GiB',
    otherwise: 'half the machine’s, at most 4 GiB',
    read: asSizeText('memoryLimit'),
  },
  {
    name: 'engine-memory',
    value: 'SIZE',
    about: 'what the engine process may hold in all, before it is ended and started again',
    otherwise: '1.5 × the limit above, and 512 MiB',
    read: asBytes('engineMemoryBytes'),
  },
  {
    name: 'min-free-disk',
    value: 'SIZE',
    about: 'disk that changes by SQL, /append, /upload and spilled rows leave to what is accepted',
    otherwise: '1 GiB, and a tenth of a disk that is smaller than 10 GiB',
    more: '[A full disk](operate.md#when-the-disk-is-full)',
    read: asBytes('minFreeDiskBytes'),
  },
  {
    name: 'threads',
    value: 'N',
    about: 'threads that DuckDB computes with while queries run',
    otherwise: 'one for each processor, and at most one for each 256 MiB of --memory-limit',
    read: asNumber('threads', 'from 1', { digits: 3 }),
  },
  {
    name: 'statement-timeout',
    value: 'N',
    about: 'seconds that one SQL statement may run',
    usual: '600',
    read: asNumber('statementTimeoutMs', 'of seconds', { digits: 6, times: 1000 }),
  },
  {
    name: 'max-columns',
    value: 'N',
    about: 'columns that a table may have to get new ones by /append, or by a file that makes it',
    usual: '1000',
    read: asNumber('maxColumns', 'of columns', { digits: 5 }),
  },
  {
    name: 'max-backlog',
    value: 'N',
    about: 'rows accepted ahead of DuckDB, beyond which more are refused',
    usual: '2000000',
    read: asNumber('maxBacklogRows', 'of rows', { digits: 10 }),
  },
  {
    name: 'max-lag',
    value: 'N',
    about: 'seconds that an accepted row may wait to be stored; more rows than that allows are refused',
    usual: '3',
    read: asNumber('maxLagMs', 'of seconds', { digits: 5, times: 1000 }),
  },
  {
    name: 'insert-id-window',
    value: 'N',
    about: 'days for which a second copy of an event is known by its insert_id',
    usual: '15',
    read: asDays('insertIdWindowMs'),
  },
  {
    name: 'retention',
    value: 'ENV=400d',
    about: 'how many days events are kept, by environment',
    otherwise: 'for ever',
    more: '[Retention](privacy.md#delete-events-by-age)',
    isList: true,
    read: asRetention,
  },
  {
    name: 'retention-archive',
    value: 'FOLDER',
    about: 'where events are written to before they are deleted for their age',
    read: asFolder('retentionArchive'),
  },
  {
    name: 'clock-checked',
    value: 'DATE',
    about: 'a day, such as 2027-01-31, on which the clock was found right; retention goes on after it',
    more: '[Retention](privacy.md#delete-events-by-age)',
    read: asDay('clockChecked'),
  },
  {
    name: 'archive',
    value: 'FOLDER',
    about: 'where events of closed days go, as Parquet files that queries read',
    more: '[Archive](back-up.md#move-old-events-to-parquet-files)',
    read: asFolder('archiveFolder'),
  },
  {
    name: 'archive-after',
    value: '30d',
    about: 'how many days old a whole day is when it goes there',
    usual: '30d',
    read: (text, given, flag) =>
      /^[1-9]\d{0,4}d$/.test(text)
        ? set('archiveAfterDays', Number.parseInt)(text, given, flag)
        : `--archive-after takes days, such as 30d, not ${text}.`,
  },
  {
    name: 'log',
    value: 'URL',
    about: 'postgres://…: accepted events go to a PostgreSQL database that several processes share',
    otherwise: 'files in the data folder',
    more: '[The log in PostgreSQL](operate.md#put-the-log-in-postgresql)',
    read: asLogUrl,
  },
  {
    name: 'log-durability',
    value: 'WHAT',
    about: 'quorum, or local: that PostgreSQL has no standby that it waits for',
    usual: 'quorum',
    read: asChoice(logDurabilities, (word, { options }) => {
      options.logDurability = word as LogDurability
    }),
  },
  {
    name: 'log-readers-kept',
    value: 'N',
    about:
      'days for which that log is kept for a query process that is away, for the latest backup, and for states',
    usual: '7',
    read: asDays('logReadersKeptMs'),
  },
  {
    name: 'role',
    value: 'ROLE',
    about: 'both; ingest or engine runs one of the two processes alone, with --log',
    usual: 'both',
    more: '[Roles](operate.md#roles-of-processes)',
    read: asChoice(['both', 'ingest', 'engine'], (word, given) => {
      given.role = word
    }),
  },
  {
    name: 'max-connections',
    value: 'N',
    about: 'connections at once',
    usual: '10000',
    read: asNumber('maxConnections', 'of connections'),
  },
  {
    name: 'max-connections-per-address',
    value: 'N',
    about: 'connections at once from one address; a proxy in front is one',
    usual: '1000',
    read: asNumber('maxConnectionsPerAddress', 'of connections'),
  },
  {
    name: 'columns',
    value: 'FORM',
    about: 'objects or labels: how /query describes columns to clients that do not say what they read',
    usual: 'objects',
    more: '[Clients](api.md#clients)',
    read: asChoice(columnsForms, (word, { options }) => {
      options.columns = word as ColumnsForm
    }),
  },
  {
    name: 'log-level',
    value: 'LEVEL',
    about: 'debug, info, warn, error or silent',
    usual: 'info',
    read: asChoice(logLevels, (word, { options }) => {
      options.logLevel = word as LogLevel
    }),
  },
  {
    name: 'quiet',
    about: 'writes no log; it is --log-level silent',
    otherwise: 'off',
    read: set('logLevel', () => 'silent'),
  },
]
