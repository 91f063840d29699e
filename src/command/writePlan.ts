import { readFileSync, writeFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import type { PlanSchema, StandardSchema } from '../core/plan'
import { CommandError } from './CommandError'
import { importFrom, loadPlan } from './loadPlan'

type Json = Record<string, unknown>

/** The standard's own way to JSON Schema, where a library has it: https://standardschema.dev/json-schema */
interface Standard extends Pick<StandardSchema['~standard'], 'vendor'> {
  jsonSchema?: { input(options: { target: string }): Json }
}

/** Valibot has it in a package of its own. */
interface ValibotToJson {
  toJsonSchema(schema: unknown, options: object): Json
}

const target = 'draft-2020-12'

const convert = async (schema: PlanSchema, planPath: string): Promise<Json> => {
  if (!('~standard' in schema)) return { ...schema }
  const standard = schema['~standard'] as Standard
  if (standard.jsonSchema) return standard.jsonSchema.input({ target })
  const { vendor } = standard
  if (vendor !== 'valibot')
    throw new Error(`this version of ${vendor} gives no JSON Schema: take a newer one, or write JSON Schema`)
  const valibot = (await importFrom(planPath, '@valibot/to-json-schema')) as ValibotToJson | undefined
  if (!valibot) throw new Error('install @valibot/to-json-schema, which valibot needs for JSON Schema')
  return valibot.toJsonSchema(schema, { target, typeMode: 'input' })
}

/** The JSON Schema of an object of properties; `name` is the event, or `traits`. */
const toJsonSchema = async (name: string, schema: PlanSchema, planPath: string): Promise<Json> => {
  try {
    const { $schema: _, ...json } = await convert(schema, planPath)
    const { type = 'object' } = json
    if (type !== 'object') throw new Error(`it has to be the schema of an object, not of ${String(type)}`)
    return { type, ...json }
  } catch (error) {
    throw new CommandError(`${name}: ${(error as Error).message}`)
  }
}

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** In which line of the source a name stands as a key; undefined where it stands elsewhere. */
const findLine = (source: string, name: string): number | undefined => {
  const key = escape(name)
  const quoted = `(['"\`])${key}\\1\\]?`
  const bare = /^[\w$]+$/.test(name) ? `|(?<![\\w$.])${key}` : ''
  const found = new RegExp(`(?:${quoted}${bare})\\s*:`).exec(source)
  return found ? source.slice(0, found.index).split('\n').length : undefined
}

/** `waymark plan`: writes what `definePlan` was given as JSON Schema. */
export const writePlan = async (file: string | undefined, out = 'plan.json'): Promise<number> => {
  const { path, plan } = await loadPlan(file)
  const source = readFileSync(path, 'utf8')
  const shown = relative(process.cwd(), path).replaceAll(sep, '/')
  const events: Record<string, Json> = {}
  for (const [name, schema] of Object.entries(plan.events)) {
    const line = findLine(source, name)
    const json = await toJsonSchema(name, schema, path)
    events[name] = line ? { ...json, $comment: `${shown}:${line}` } : json
  }
  const traits = plan.traits && (await toJsonSchema('traits', plan.traits, path))
  writeFileSync(out, `${JSON.stringify({ events, ...(traits && { traits }) }, null, 2)}\n`)
  process.stdout.write(`${out} has the schemas of ${Object.keys(events).length} events.\n`)
  return 0
}
