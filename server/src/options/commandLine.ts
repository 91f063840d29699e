import { parseArgs } from 'node:util'
import { OperatorError } from '../OperatorError.js'
import { type Flag, flags, type ServerOptions, codeOptions } from './flags.js'

/** The role that a process gives to the engine process it starts; an operator writes `engine`. */
export const supervisedRole = 'supervised-engine'

type Arguments =
  | { kind: 'start'; isSupervised: boolean; options: ServerOptions }
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'wrong'; problem: string }

const parseOptions = {
  ...Object.fromEntries(
    flags.map(({ name, value }) => [name, { type: value ? 'string' : 'boolean', multiple: true } as const]),
  ),
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** The variable of a flag: `WAYMARK_API_KEYS` for `--api-keys`. The variable of a switch must be `true`. */
export const variableOf = ({ name }: { name: string }): string =>
  `WAYMARK_${name.toUpperCase().replaceAll('-', '_')}`

/** The text of a flag on the command line or in its variable; undefined when the flag is not given. */
const textOf = (flag: Flag, values: readonly (string | boolean)[] | undefined, env: NodeJS.ProcessEnv) => {
  const variable = env[variableOf(flag)]
  if (flag.value === undefined) return values !== undefined || variable === 'true' ? 'true' : undefined
  if (values === undefined) return variable
  return String(flag.as.isList ? values.join(',') : values.at(-1))
}

/** Says which flags do not go together, although each alone is right. */
const findConflict = (options: ServerOptions): string | undefined => {
  const { environments = ['production'], retentionDays = {}, log, role, archiveFolder } = options
  if ((options.postgresTlsCert === undefined) !== (options.postgresTlsKey === undefined))
    return '--postgres-tls-cert and --postgres-tls-key go together: name both files, or neither.'
  const unknown = Object.keys(retentionDays).find((each) => !environments.includes(each))
  if (unknown !== undefined)
    return `--retention names ${unknown}, and --environments only ${environments.join(', ')}.`
  if (options.retentionArchive !== undefined && options.retentionDays === undefined)
    return '--retention-archive goes together with --retention, which says what is kept how long.'
  const oidc = [options.oidcIssuer, options.oidcClientId, options.oidcRoles]
  if (oidc.some((each) => each !== undefined) && oidc.includes(undefined))
    return '--oidc-issuer, --oidc-client-id and --oidc-roles go together.'
  if (options.archiveAfterDays !== undefined && archiveFolder === undefined)
    return '--archive-after goes together with --archive, which says where events of closed days go.'
  if ((options.logDurability !== undefined || options.logReadersKeptMs !== undefined) && log === undefined)
    return '--log-durability and --log-readers-kept go together with --log, which names the log in PostgreSQL.'
  if (log !== undefined && role === 'ingest' && options.postgresPort !== undefined)
    return '--postgres-port answers queries, and with --log a process with --role ingest answers none.'
  return undefined
}

const parse = (argv: readonly string[], env: NodeJS.ProcessEnv): Arguments => {
  const { values } = parseArgs({ args: [...argv], options: parseOptions, strict: true })
  if (values.help === true) return { kind: 'help' }
  if (values.version === true) return { kind: 'version' }
  const said = values as Partial<Record<string, (string | boolean)[]>>
  const isSupervised = said['role']?.at(-1) === supervisedRole
  if (isSupervised) said['role'] = ['engine']
  const read: Record<string, unknown> = {}
  for (const flag of flags) {
    const text = textOf(flag, said[flag.name], env)
    if (text !== undefined) read[flag.option] = flag.as.read(text, `--${flag.name}`)
  }
  // A flag wins over a variable, also over that of another flag.
  if (said['quiet'] !== undefined && said['log-level'] === undefined) delete read['logLevel']
  const options = read as ServerOptions
  const problem = findConflict(options)
  return problem === undefined ? { kind: 'start', isSupervised, options } : { kind: 'wrong', problem }
}

export const parseArguments = (argv: readonly string[], env: NodeJS.ProcessEnv): Arguments => {
  try {
    return parse(argv, env)
  } catch (error) {
    if (error instanceof OperatorError) return { kind: 'wrong', problem: error.message }
    // parseArgs names the flag in its first sentence and speaks of `--` in the ones after it.
    const reason = error instanceof Error ? error.message.split('. ', 1)[0]! : String(error)
    return { kind: 'wrong', problem: `${reason.replace(/\.$/, '')}.` }
  }
}

const column = 34
const width = 100

const wrap = (text: string): string[] => {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line !== '' && column + line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}

/** The default of a flag; empty when nothing is set. */
const usualOf = ({ usual, otherwise = '' }: Flag): string =>
  typeof usual === 'string' && usual !== '' ? usual : otherwise

const describe = (flag: Flag): string => {
  const { name, value, about } = flag
  const head = `  --${name}${value === undefined ? '' : ` ${value}`}`
  const [first, ...more] = wrap(`${about} [${usualOf(flag) || 'none'}]`)
  return [`${head.padEnd(column - 1)} ${first}`, ...more.map((line) => ' '.repeat(column) + line)].join('\n')
}

/** What `--help` prints. */
export const helpText = `waymark-server: product analytics and lakehouse over HTTP, on an embedded DuckDB file.

  waymark-server hash-password   reads a password, prints its hash for a file of users
  waymark-server backup FILE     copies the store of a running service; each of these has a --help
  waymark-server restore FILE    makes a data folder of such a copy
  waymark-server check           says whether a data folder is whole
  waymark-server salvage         keeps what can be read of a damaged write-ahead log
  waymark-server retry-rejected  has rows stored that were set aside
  waymark-server export          writes events and persons as Parquet files
  waymark-server import          brings the history of another program into a running service
  waymark-server crawlers LOG    brings what crawlers read, by a proxy's access log

waymark-server with these flags starts the service. The default of a flag is in brackets.
Each flag can also be said by a variable: ${variableOf({ name: 'api-keys' })} for --api-keys. A flag wins.

${flags.map(describe).join('\n')}
  --version                       prints the version
  --help                          this text
`

/** The tables of docs/flags.md: the flags, and the options that only code can set. */
export const flagsTable = (): string =>
  [
    '| flag | in code | default | |',
    '|---|---|---|---|',
    ...flags.map(
      (flag) =>
        `| \`--${flag.name}\` | \`${flag.option}\` | ${usualOf(flag)} | ${flag.about}${flag.more === undefined ? '' : ` (${flag.more})`} |`,
    ),
  ].join('\n')

export const codeTable = (): string =>
  [
    '| only in code | default | |',
    '|---|---|---|',
    ...codeOptions.map(({ option, about, otherwise }) => `| \`${option}\` | ${otherwise} | ${about} |`),
  ].join('\n')
