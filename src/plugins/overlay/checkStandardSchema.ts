import { isObject } from '../../core/json'
import type { Properties } from '../../core/types'
import { listTypes } from './words'

interface Issue {
  message: string
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined
}

type Validated = { issues?: readonly Issue[] | undefined; value?: unknown }

/** https://standardschema.dev: zod, valibot, arktype and others. */
interface StandardSchema {
  '~standard': { validate(value: unknown): Validated | Promise<Validated> }
}

/** A schema of arktype is a function. */
export const isStandardSchema = (schema: object): schema is StandardSchema => '~standard' in schema

const keysOf = ({ path = [] }: Issue) => path.map((part) => (typeof part === 'object' ? part.key : part))

const valueAt = (properties: unknown, keys: PropertyKey[]) =>
  keys.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], properties)

/** Each library has words of its own; what is missing, and a wrong type, are said as of a JSON Schema. */
const describe = (issue: Issue, properties: Properties): string => {
  const keys = keysOf(issue)
  const type = /expected (string|number|integer|boolean|array|object|null)\b/i.exec(issue.message)?.[1]
  const problem =
    keys[0] !== undefined && valueAt(properties, keys) === undefined
      ? 'is missing'
      : type
        ? listTypes([type.toLowerCase()])
        : issue.message
  const path = keys.map((key) => (typeof key === 'number' ? '[]' : String(key))).join('.')
  return `${path.replaceAll('.[]', '[]') || 'properties'}: ${problem}`
}

/** What is wrong, one for each property. A schema that leaves out what it does not know does not have it in the plan. */
export async function checkStandardSchema(schema: StandardSchema, properties: Properties): Promise<string[]> {
  const { issues, value } = await schema['~standard'].validate(properties)
  if (issues) return issues.map((issue) => describe(issue, properties))
  const left = isObject(value) ? Object.keys(properties).filter((name) => !Object.hasOwn(value, name)) : []
  return left.map((name) => `${name}: is not in the plan`)
}
