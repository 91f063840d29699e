import { parseArgs } from 'node:util'
import { originForm } from '../http/cors.js'
import { type LogLevel, logLevels } from '../Logger.js'
import { type ColumnsForm, columnsForms } from '../sql/columnsForm.js'
import { logDurabilities, type LogDurability } from '../wal/postgres/checkDurability.js'
import { readLogUrl } from '../wal/postgres/readLogUrl.js'
import { bytesOf, type Role, type ServerOptions } from './ServerOptions.js'

/** What a process that starts an engine process says to it; people say `engine`. */
export const supervisedRole = 'supervised-engine'

export type Arguments =
  | { kind: 'start'; role: Role; isSupervised: boolean; options: ServerOptions }
  | { kind: 'help' }
  | { kind: 'wrong'; problem: string }

const flags = {
  role: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'postgres-port': { type: 'string' },
  'postgres-tls-cert': { type: 'string' },
  'postgres-tls-key': { type: 'string' },
  'base-path': { type: 'string' },
  'id-cookie': { type: 'boolean' },
  files: { type: 'string' },
  data: { type: 'string' },
  log: { type: 'string' },
  'log-durability': { type: 'string' },
  'log-readers-kept': { type: 'string' },
  'api-keys': { type: 'string' },
  environments: { type: 'string' },
  users: { type: 'string' },
  'users-file': { type: 'string' },
  'metrics-token': { type: 'string' },
  origins: { type: 'string' },
  catalogs: { type: 'string' },
  'memory-limit': { type: 'string' },
  'engine-memory': { type: 'string' },
  threads: { type: 'string' },
  'statement-timeout': { type: 'string' },
  'max-backlog': { type: 'string' },
  'insert-id-window': { type: 'string' },
  retention: { type: 'string', multiple: true },
  'retention-archive': { type: 'string' },
  archive: { type: 'string' },
  'archive-after': { type: 'string' },
  'max-connections': { type: 'string' },
  'max-connections-per-address': { type: 'string' },
  columns: { type: 'string' },
  'log-level': { type: 'string' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Names that DuckDB or this service uses itself. */
const reserved = new Set(['analytics', 'memory', 'system', 'temp'])

const list = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

const size = /^\d+(\.\d+)?\s*([KMGT]i?)?B$/i
const basePathForm = /^(\/[\w.~-]+)*$/
const roles: readonly string[] = ['both', 'ingest', 'engine']

/** As of an object store. */
const addressForm = /^[a-z][a-z\d+.-]+:\/\//i

const wrong = (problem: string): Arguments => ({ kind: 'wrong', problem })

/** `WAYMARK_API_KEYS` for `--api-keys`; a flag wins. */
const readFlags = (argv: readonly string[], env: NodeJS.ProcessEnv) => {
  const { values } = parseArgs({ args: [...argv], options: flags, allowPositionals: false, strict: true })
  return (name: Exclude<keyof typeof flags, 'quiet' | 'help' | 'id-cookie' | 'retention'>) =>
    values[name] ?? env[`WAYMARK_${name.toUpperCase().replaceAll('-', '_')}`]
}

const readUsers = (text: string): Record<string, string> | undefined => {
  const users: Record<string, string> = {}
  for (const pair of list(text)) {
    const cut = pair.indexOf(':')
    if (cut <= 0 || cut === pair.length - 1) return undefined
    users[pair.slice(0, cut)] = pair.slice(cut + 1)
  }
  return users
}

/** `production=400d`, or what is wrong with it. */
const readRetention = (text: string, environments: readonly string[]): Record<string, number> | string => {
  const days: Record<string, number> = {}
  for (const each of list(text)) {
    const [, environment, number] = /^(.+)=([1-9]\d{0,4})d$/.exec(each) ?? []
    if (environment === undefined || !environments.includes(environment))
      return `--retention takes an environment and days, such as ${environments[0]}=400d, not ${each}.`
    days[environment] = Number(number)
  }
  return days
}

type Read = ReturnType<typeof readFlags>

/** What is said of the log, or what is wrong with it. */
const readLog = (read: Read, options: ServerOptions): string | undefined => {
  const [log, durability, kept] = [read('log'), read('log-durability'), read('log-readers-kept')]
  if (log === undefined) {
    if (durability === undefined && kept === undefined) return undefined
    return '--log-durability and --log-readers-kept go together with --log, which names the log in PostgreSQL.'
  }
  const addresses = readLogUrl(log)
  if (typeof addresses === 'string') return addresses
  options.log = log
  if (durability !== undefined) {
    if (!logDurabilities.includes(durability as LogDurability))
      return `--log-durability must be one of ${logDurabilities.join(', ')}, not ${durability}.`
    options.logDurability = durability as LogDurability
  }
  if (kept !== undefined) {
    if (!/^[1-9]\d{0,3}$/.test(kept)) return `--log-readers-kept must be a number of days, not ${kept}.`
    options.logReadersKeptMs = Number(kept) * 86_400_000
  }
  return undefined
}

const parse = (argv: readonly string[], env: NodeJS.ProcessEnv): Arguments => {
  const { values } = parseArgs({ args: [...argv], options: flags, strict: true })
  if (values.help === true) return { kind: 'help' }
  const read = readFlags(argv, env)
  const options: ServerOptions = {}

  const given = read('role') ?? 'both'
  const isSupervised = given === supervisedRole
  const role = isSupervised ? 'engine' : given
  if (!roles.includes(role)) return wrong(`--role must be one of ${roles.join(', ')}, not ${role}.`)

  const ports = [
    ['port', 'port'],
    ['postgres-port', 'postgresPort'],
  ] as const
  for (const [flag, option] of ports) {
    const port = read(flag)
    if (port === undefined) continue
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
      return wrong(`--${flag} must be a number from 0 to 65535, not ${port}.`)
    }
    options[option] = Number(port)
  }
  const [cert, key] = [read('postgres-tls-cert'), read('postgres-tls-key')]
  if ((cert === undefined) !== (key === undefined)) {
    return wrong('--postgres-tls-cert and --postgres-tls-key go together: name both files, or neither.')
  }
  if (cert !== undefined && key !== undefined) options.postgresTls = { cert, key }
  const base = read('base-path')
  if (base !== undefined) {
    options.basePath = base.replace(/\/+$/, '')
    if (!basePathForm.test(options.basePath))
      return wrong(`--base-path must be a path such as /w, not ${base}.`)
  }
  if (values['id-cookie'] === true || env['WAYMARK_ID_COOKIE'] === 'true') options.idCookie = true
  const files = read('files')
  if (files !== undefined) options.filesFolder = files
  const users = read('users')
  if (users !== undefined) {
    const known = readUsers(users)
    if (known === undefined) return wrong('--users must read name:password, several separated by commas.')
    options.users = known
  }
  const origins = read('origins')
  if (origins !== undefined) {
    options.origins = list(origins)
    const odd = options.origins.find((each) => !originForm.test(each))
    if (odd !== undefined) return wrong(`--origins takes origins such as https://admin.example, not ${odd}.`)
  }
  const level = values.quiet === true ? 'silent' : read('log-level')
  if (level !== undefined) {
    if (!logLevels.includes(level as LogLevel)) {
      return wrong(`--log-level must be one of ${logLevels.join(', ')}, not ${level}.`)
    }
    options.logLevel = level as LogLevel
  }
  const columns = read('columns')
  if (columns !== undefined) {
    if (!columnsForms.includes(columns as ColumnsForm)) {
      return wrong(`--columns must be one of ${columnsForms.join(', ')}, not ${columns}.`)
    }
    options.columns = columns as ColumnsForm
  }
  const limit = read('memory-limit')
  if (limit !== undefined) {
    if (!size.test(limit)) {
      return wrong(`--memory-limit must be a size such as 512MB or 4GiB, not ${limit}.`)
    }
    options.memoryLimit = limit
  }
  const engineMemory = read('engine-memory')
  if (engineMemory !== undefined) {
    if (!size.test(engineMemory)) {
      return wrong(`--engine-memory must be a size such as 2GB or 6GiB, not ${engineMemory}.`)
    }
    options.engineMemoryBytes = bytesOf(engineMemory)
  }
  const threads = read('threads')
  if (threads !== undefined) {
    if (!/^[1-9]\d{0,2}$/.test(threads)) return wrong(`--threads must be a number from 1, not ${threads}.`)
    options.threads = Number(threads)
  }
  const timeout = read('statement-timeout')
  if (timeout !== undefined) {
    if (!/^[1-9]\d{0,5}$/.test(timeout)) {
      return wrong(`--statement-timeout must be a number of seconds, not ${timeout}.`)
    }
    options.statementTimeoutMs = Number(timeout) * 1000
  }
  const backlog = read('max-backlog')
  if (backlog !== undefined) {
    if (!/^[1-9]\d{0,9}$/.test(backlog))
      return wrong(`--max-backlog must be a number of rows, not ${backlog}.`)
    options.maxBacklogRows = Number(backlog)
  }
  const window = read('insert-id-window')
  if (window !== undefined) {
    if (!/^[1-9]\d{0,3}$/.test(window))
      return wrong(`--insert-id-window must be a number of days, not ${window}.`)
    options.insertIdWindowMs = Number(window) * 86_400_000
  }
  const limits = [
    ['max-connections', 'maxConnections'],
    ['max-connections-per-address', 'maxConnectionsPerAddress'],
  ] as const
  for (const [flag, option] of limits) {
    const most = read(flag)
    if (most === undefined) continue
    if (!/^[1-9]\d{0,6}$/.test(most)) return wrong(`--${flag} must be a number of connections, not ${most}.`)
    options[option] = Number(most)
  }
  const catalogs = read('catalogs')
  if (catalogs !== undefined) {
    options.catalogs = list(catalogs)
    const odd = options.catalogs.find((name) => !/^[a-z][a-z0-9_]{0,62}$/.test(name) || reserved.has(name))
    if (options.catalogs.length === 0) return wrong('--catalogs must name at least one catalog.')
    if (odd !== undefined)
      return wrong(`--catalogs takes names of small letters, digits and _ that are not reserved, not ${odd}.`)
  }
  const environments = read('environments')
  if (environments !== undefined) {
    options.environments = list(environments)
    if (options.environments.length === 0) return wrong('--environments must name at least one environment.')
  }
  const retention = values.retention?.join(',') ?? env['WAYMARK_RETENTION']
  if (retention !== undefined) {
    const days = readRetention(retention, options.environments ?? ['production'])
    if (typeof days === 'string') return wrong(days)
    options.retentionDays = days
  }
  const retentionArchive = read('retention-archive')
  if (retentionArchive !== undefined) {
    if (options.retentionDays === undefined)
      return wrong('--retention-archive goes together with --retention, which says what is kept how long.')
    options.retentionArchive = retentionArchive
  }
  const [archive, archiveAfter] = [read('archive'), read('archive-after')]
  if (archive !== undefined) options.archiveFolder = archive
  if (archiveAfter !== undefined) {
    if (archive === undefined)
      return wrong('--archive-after goes together with --archive, which says where events of closed days go.')
    if (!/^[1-9]\d{0,4}d$/.test(archiveAfter))
      return wrong(`--archive-after takes days, such as 30d, not ${archiveAfter}.`)
    options.archiveAfterDays = Number.parseInt(archiveAfter, 10)
  }
  for (const flag of ['data', 'archive', 'retention-archive'] as const) {
    const folder = read(flag)
    if (folder !== undefined && addressForm.test(folder))
      return wrong(`--${flag} takes a folder, not ${folder}. An object store must be mounted as one.`)
  }
  const problem = readLog(read, options)
  if (problem !== undefined) return wrong(problem)
  if (options.log !== undefined && role === 'ingest' && options.postgresPort !== undefined) {
    return wrong('--postgres-port answers queries, and with --log a process with --role ingest answers none.')
  }
  const [host, data, keys] = [read('host'), read('data'), read('api-keys')]
  const [usersFile, metricsToken] = [read('users-file'), read('metrics-token')]
  if (host !== undefined) options.host = host
  if (data !== undefined) options.dataFolder = data
  if (keys !== undefined) options.apiKeys = list(keys)
  if (usersFile !== undefined) options.usersFile = usersFile
  if (metricsToken !== undefined) options.metricsToken = metricsToken
  return { kind: 'start', role: role as Role, isSupervised, options }
}

export const parseArguments = (argv: readonly string[], env: NodeJS.ProcessEnv): Arguments => {
  try {
    return parse(argv, env)
  } catch (error) {
    // parseArgs names the flag in its first sentence and speaks of `--` in the ones after it.
    const reason = error instanceof Error ? error.message.split('. ', 1)[0]! : String(error)
    return wrong(`${reason.replace(/\.$/, '')}.`)
  }
}
