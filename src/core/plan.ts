// A tracking plan: what an application's events are, as schemas. Types follow from it, `waymark plan` writes it as JSON.

/** What zod, valibot, arktype and others give: the part of Standard Schema (https://standardschema.dev) that is used. */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validated | Promise<Validated>
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined
  }
}

interface Validated {
  readonly issues?:
    | readonly {
        readonly message: string
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
      }[]
    | undefined
}

/** A JSON Schema (draft 2020-12). Those of its words that types follow from are named here. */
export interface JsonSchema {
  readonly type?: JsonType | readonly JsonType[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly format?: string
  readonly description?: string
  readonly [word: string]: unknown
}

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'

export type PlanSchema = StandardSchema | JsonSchema

export interface Plan {
  /** The properties of each event, by its name. */
  readonly events: Readonly<Record<string, PlanSchema>>
  /** What `identify` and `updateTraits` may say of a user. @defaultValue anything */
  readonly traits?: PlanSchema
}

/**
 * Gives a plan its type, and returns it as it is.
 *
 * @example
 * const plan = definePlan({ events: { 'Order Completed': z.object({ total: z.number() }) } })
 * declare module 'waymark' {
 *   interface Register { plan: typeof plan }
 * }
 */
export const definePlan = <const P extends Plan>(plan: P): P => plan

/** What may be given for an event, or for a user, of this schema. */
export type PropertiesOf<Schema> = Schema extends { '~standard': { types?: infer Types } }
  ? NonNullable<Types> extends { input: infer Input }
    ? Input
    : object
  : Schema extends { properties: unknown } | { additionalProperties: unknown }
    ? FromObject<Schema>
    : {}

type FromJson<Schema> = Schema extends { const: infer Value }
  ? Value
  : Schema extends { enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { anyOf: readonly (infer One)[] } | { oneOf: readonly (infer One)[] }
      ? FromJson<One>
      : Schema extends { type: readonly (infer Type)[] }
        ? FromType<Type, Schema>
        : Schema extends { type: infer Type }
          ? FromType<Type, Schema>
          : unknown

type FromType<Type, Schema> = Type extends 'string'
  ? // A date becomes ISO 8601 text when it is tracked.
    string | (Schema extends { format: 'date-time' } ? Date : never)
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? readonly (Schema extends { items: infer Item } ? FromJson<Item> : unknown)[]
          : Type extends 'object'
            ? FromObject<Schema>
            : unknown

/** An object has the properties that its schema lists, and others only where it allows them. */
type FromObject<Schema> = Schema extends { properties: infer Properties }
  ? Show<
      {
        -readonly [Name in keyof Properties as Name extends RequiredOf<Schema> ? Name : never]: FromJson<
          Properties[Name]
        >
      } & {
        -readonly [Name in keyof Properties as Name extends RequiredOf<Schema> ? never : Name]?:
          | FromJson<Properties[Name]>
          | undefined
      }
    > &
      (Schema extends { additionalProperties: true | object } ? Record<string, unknown> : unknown)
  : Record<string, unknown>

type RequiredOf<Schema> = Schema extends { required: readonly (infer Name)[] } ? Name : never

/** One object instead of an intersection: what an editor shows. */
type Show<T> = { [K in keyof T]: T[K] } & {}
