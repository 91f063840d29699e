import { parseArgs } from 'node:util'
import { type Flag, flags } from './flags.js'
import { variableOf } from './helpText.js'
import type { Role, ServerOptions } from './ServerOptions.js'
import type { Given } from './values.js'

/** The role that a process gives to the engine process it starts; an operator writes `engine`. */
export const supervisedRole = 'supervised-engine'

export type Arguments =
  | { kind: 'start'; role: Role; isSupervised: boolean; options: ServerOptions }
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
  return String(flag.isList ? values.join(',') : values.at(-1))
}

/** Says which flags do not go together, although each alone is right. */
const findConflict = ({ options, role }: Given, isGiven: (name: string) => boolean): string | undefined => {
  if (isGiven('postgres-tls-cert') !== isGiven('postgres-tls-key'))
    return '--postgres-tls-cert and --postgres-tls-key go together: name both files, or neither.'
  if (isGiven('retention-archive') && !isGiven('retention'))
    return '--retention-archive goes together with --retention, which says what is kept how long.'
  if (isGiven('archive-after') && !isGiven('archive'))
    return '--archive-after goes together with --archive, which says where events of closed days go.'
  if ((isGiven('log-durability') || isGiven('log-readers-kept')) && !isGiven('log'))
    return '--log-durability and --log-readers-kept go together with --log, which names the log in PostgreSQL.'
  if (options.log !== undefined && role === 'ingest' && options.postgresPort !== undefined)
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
  const given: Given = { options: {}, role: 'both' }
  const names = new Set<string>()
  for (const flag of flags) {
    const text = textOf(flag, said[flag.name], env)
    if (text === undefined) continue
    const problem = flag.read(text, given, flag.name)
    if (problem !== undefined) return { kind: 'wrong', problem }
    names.add(flag.name)
  }
  const problem = findConflict(given, (name) => names.has(name))
  if (problem !== undefined) return { kind: 'wrong', problem }
  return { kind: 'start', role: given.role as Role, isSupervised, options: given.options }
}

export const parseArguments = (argv: readonly string[], env: NodeJS.ProcessEnv): Arguments => {
  try {
    return parse(argv, env)
  } catch (error) {
    // parseArgs names the flag in its first sentence and speaks of `--` in the ones after it.
    const reason = error instanceof Error ? error.message.split('. ', 1)[0]! : String(error)
    return { kind: 'wrong', problem: `${reason.replace(/\.$/, '')}.` }
  }
}
