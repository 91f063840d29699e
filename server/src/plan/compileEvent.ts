import type { SchemaValidateFunction } from 'ajv'
import { Ajv2020, type FuncKeywordDefinition, type ValidateFunction } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'

/** Even in linear time a text of megabytes would take long. */
const maxTextLength = 10_000

/**
 * RE2's expressions take a time that is linear in the text; with JavaScript's own, one event could keep the engine busy
 * for minutes. They cannot look ahead, look back or refer back.
 */
const compilePattern = (pattern: string) => {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    return {
      test: (text: string) => text.length <= maxTextLength && compiled.test(text),
      toString: () => pattern,
    }
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, '')
    throw new Error(`the pattern ${JSON.stringify(pattern)} is none of RE2 (${reason})`, { cause: error })
  }
}
const regExp = Object.assign(compilePattern, { code: 'compilePattern' })

/** JSON of a value in which the order of names does not matter. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/** Compares texts: ajv compares each item with each other. */
const areUnique: SchemaValidateFunction = (isAsked: boolean, items: unknown[]) => {
  areUnique.errors = [{ keyword: 'uniqueItems', message: 'must NOT have duplicate items', params: {} }]
  return !isAsked || new Set(items.map(canonical)).size === items.length
}
const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  validate: areUnique,
}

/** `format` is left to whoever reads the plan, as JSON Schema does by default. */
export const createCompiler = (isChecking: boolean): Ajv2020 => {
  const compiler = new Ajv2020({
    strict: false,
    validateFormats: false,
    // The error says it; ajv would print the code that it has made, too.
    logger: false,
    validateSchema: isChecking,
    meta: isChecking,
    code: { regExp },
    // `constructor` is missing where it was not sent.
    ownProperties: true,
  })
  return compiler.removeKeyword('uniqueItems').addKeyword(uniqueItems)
}

/**
 * A plan lists what there is, so a schema that does not speak of further properties allows none. An identifier would
 * collide with that of another event, and the result of `$async` would be a promise.
 */
export const compileEvent = (compiler: Ajv2020, schema: object): ValidateFunction => {
  const { $id: _id, $schema: _schema, $async: _async, ...own } = schema as Record<string, unknown>
  const isClosed = 'additionalProperties' in own || 'unevaluatedProperties' in own
  return compiler.compile(isClosed ? own : { ...own, unevaluatedProperties: false })
}
