import { writeFileSync } from 'node:fs'
import { isOwnEvent, isOwnProperty } from '../core/ownNames'
import type { JsonSchema, JsonType } from '../core/plan'
import { openService, readRange, type Asking } from './askService'
import { CommandError } from './CommandError'

/** What stands for DuckDB's names of JSON's types. */
const jsonTypes: Record<string, JsonType> = {
  VARCHAR: 'string',
  BIGINT: 'integer',
  UBIGINT: 'integer',
  HUGEINT: 'integer',
  DOUBLE: 'number',
  BOOLEAN: 'boolean',
  ARRAY: 'array',
  OBJECT: 'object',
  NULL: 'null',
}

/** A property of an event, or a trait: in how many of how many it is, and of which types. */
interface Found {
  event: string
  events: number
  name: string | null
  types: string[] | null
  count: number | null
}

const typeOf = (types: string[]): JsonSchema => {
  const all = [...new Set(types.map((type): JsonType => jsonTypes[type] ?? 'string'))]
  const named = all.includes('number') ? all.filter((type) => type !== 'integer') : all
  return { type: named.length === 1 ? named[0]! : named }
}

/** Gathers the schema of each event; what all of its events have is required. */
const gather = (rows: Found[]): Record<string, JsonSchema> => {
  const events: Record<string, { properties: Record<string, JsonSchema>; required: string[] }> = {}
  for (const { event, events: all, name, types, count } of rows) {
    if (isOwnEvent(event)) continue
    const schema = (events[event] ??= { properties: {}, required: [] })
    if (name === null || isOwnProperty(name)) continue
    schema.properties[name] = typeOf(types ?? [])
    if (count === all) schema.required.push(name)
  }
  return Object.fromEntries(
    Object.entries(events).map(([event, { properties, required }]) => [
      event,
      { type: 'object', properties, ...(required[0] && { required }) },
    ]),
  )
}

const quote = (text: string) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** As JavaScript, in one line where that has room. */
const write = (value: unknown, indent = ''): string => {
  if (typeof value === 'string') return quote(value)
  const [open, close, ...parts] = Array.isArray(value)
    ? ['[', ']', ...value.map((each) => write(each, `${indent}  `))]
    : [
        '{ ',
        ' }',
        ...Object.entries(value as object).map(
          ([name, each]) =>
            `${/^[a-z_$][\w$]*$/i.test(name) ? name : quote(name)}: ${write(each, `${indent}  `)}`,
        ),
      ]
  if (!parts[0]) return `${open}${close}`.replaceAll(' ', '')
  const line = `${open}${parts.join(', ')}${close}`
  return line.length < 80 && !line.includes('\n')
    ? line
    : `${open.trim()}\n${parts.map((part) => `${indent}  ${part},\n`).join('')}${indent}${close.trim()}`
}

const fileOf = (plan: object, isTyped: boolean) => `import { definePlan } from 'waymark/plan'

const plan = definePlan(${write(plan)})

export default plan
${isTyped ? `\ndeclare module 'waymark' {\n  interface Register {\n    plan: typeof plan\n  }\n}\n` : ''}`

/** `waymark plan init`: writes a first plan from what is stored. */
export const initPlan = async (
  { out = 'plan.mjs', ...asking }: Asking & { out?: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<number> => {
  if (!/\.([cm]?ts|m?js)$/.test(out))
    throw new CommandError(`--out takes a file of TypeScript or JavaScript, not ${out}.`)
  const range = { since: '30d', ...asking }
  const ask = openService(asking, env)
  const events = gather(
    (await ask(`WITH chosen AS (
        SELECT event, properties FROM analytics.main.events WHERE ${readRange(range, 'timestamp')}
      ), named AS (
        SELECT event, properties, unnest(json_keys(properties)) AS name FROM chosen
      ), typed AS (
        SELECT event, name, json_type(properties, '/' || replace(replace(name, '~', '~0'), '/', '~1')) AS type
        FROM named
      )
      SELECT event, one.events, name, types, count
      FROM (SELECT event, count(*)::INTEGER AS events FROM chosen GROUP BY event) AS one LEFT JOIN (
        SELECT event, name, list_sort(list_distinct(list(type))) AS types, count(*)::INTEGER AS count
        FROM typed GROUP BY event, name
      ) AS each USING (event)
      ORDER BY events DESC, event, count DESC, name`)) as unknown as Found[],
  )
  const traits = (await ask(
    `SELECT name, list_sort(list_distinct(list(json_type(value)))) AS types FROM analytics.main.identity_traits
     WHERE ${readRange(range, 'timestamp')} GROUP BY name ORDER BY name`,
  )) as { name: string; types: string[] }[]
  const count = Object.keys(events).length
  if (!count)
    throw new CommandError(`The service has no event of the last ${range.since} to write a plan from.`)
  const properties = Object.fromEntries(traits.map(({ name, types }) => [name, typeOf(types)]))
  const plan = { events, ...(traits[0] && { traits: { type: 'object', properties } }) }
  try {
    writeFileSync(out, fileOf(plan, out.endsWith('ts')), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new CommandError(`${out} is there already: name another file by --out.`)
  }
  process.stdout.write(`${out} has ${count} events. Read it: what was stored need not be what was meant.\n`)
  return 0
}
