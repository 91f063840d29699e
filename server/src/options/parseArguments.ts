import { parseArgs } from 'node:util'
import { OperatorError } from '../OperatorError.js'
import { type Flag, flags, type ServerOptions, variableOf } from './flags.js'

/** The role that a process gives to the engine process it starts; an operator writes `engine`. */
export const supervisedRole = 'supervised-engine'

export type Arguments =
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
