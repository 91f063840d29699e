import { Validator, type OutputUnit, type Schema } from '@cfworker/json-schema'
import type { Properties } from '../../core/types'
import { listTypes, problems } from './words'

/** Keywords that only lead to what is wrong. */
const parents =
  /^(properties|patternProperties|additionalProperties|unevaluatedProperties|items|prefixItems|additionalItems|unevaluatedItems|allOf|\$ref|if|dependentSchemas|dependencies)$/

const decode = (part: string) => decodeURI(part).replaceAll('~1', '/').replaceAll('~0', '~')

const partsOf = (pointer: string) => pointer.split('/').slice(1).map(decode)

/** `items[].price` of `#/items/0/price`. */
const nameOf = (location: string) =>
  partsOf(location)
    .map((part) => (/^\d+$/.test(part) ? '[]' : part))
    .join('.')
    .replaceAll('.[]', '[]')

/** The value of a keyword; a part `$ref` leads on from the schema that it names. */
const valueAt = (root: Schema, location: string): unknown =>
  partsOf(location).reduce<unknown>((at, part) => {
    const next = (at as Record<string, unknown> | undefined)?.[part]
    return part === '$ref' ? valueAt(root, String(next)) : next
  }, root)

/** Says what the forms of a schema with several forms ask for: their types where these alone are wrong. */
const describeForms = (root: Schema, { instanceLocation }: OutputUnit, forms: OutputUnit[]) =>
  forms.every((form) => form.keyword === 'type' && form.instanceLocation === instanceLocation)
    ? listTypes([...new Set(forms.flatMap((form) => valueAt(root, form.keywordLocation) as string[]))])
    : 'is none of what the plan allows'

const describe = (root: Schema, unit: OutputUnit, forms: OutputUnit[]) => {
  const { keyword, keywordLocation } = unit
  if (keyword === 'anyOf' || keyword === 'oneOf') return describeForms(root, unit, forms)
  return problems[keyword]?.(valueAt(root, keywordLocation) as never) ?? 'is wrong'
}

/** The property: of one that is missing the checker names only what should have it. */
const propertyOf = ({ keyword, instanceLocation, error }: OutputUnit) => {
  const missing = /^(dependentR|r)equired$/.test(keyword) ? /"([^"]*)"\.$/.exec(error)?.[1] : undefined
  return [nameOf(instanceLocation), missing].filter(Boolean).join('.') || 'properties'
}

/**
 * What is wrong, one for each property. `format` is not checked, as in the service. A plan lists what there is, so a
 * schema that does not speak of further properties allows none.
 */
export function checkJsonSchema(schema: object, properties: Properties): string[] {
  const {
    $id: _id,
    $schema: _schema,
    ...own
  } = JSON.parse(
    JSON.stringify(schema, (name, value) =>
      name === 'format' && typeof value === 'string' ? undefined : value,
    ),
  ) as Schema
  const isClosed = 'additionalProperties' in own || 'unevaluatedProperties' in own
  const root: Schema = isClosed ? own : { ...own, unevaluatedProperties: false }
  const { errors } = new Validator(root, '2020-12', false).validate(properties)

  const found = new Map<string, string>()
  /** Objects that have none of several forms: which properties they may have is not known. */
  const formless: string[] = []
  while (errors[0]) {
    const unit = errors.shift()!
    // What is wrong with each form of several follows them, and is one problem.
    const isInside = (inner: OutputUnit) =>
      inner.keywordLocation.startsWith(`${unit.keywordLocation}/`) || inner.keyword === 'false'
    const isChoice = /^(anyOf|oneOf|contains|propertyNames)$/.test(unit.keyword)
    const end = isChoice ? errors.findIndex((inner) => !isInside(inner)) : 0
    const forms = errors.splice(0, end < 0 ? errors.length : end)
    if (/^(any|one)Of$/.test(unit.keyword)) formless.push(`${unit.instanceLocation}/`)
    if (unit.keyword === 'false' && formless.some((object) => unit.instanceLocation.startsWith(object)))
      continue
    const property = propertyOf(unit)
    // What has a problem inside counts for the checker as a property that no schema allows, too.
    const isFound = [...found.keys()].some(
      (name) =>
        name === property || /^[.[]/.test(name.startsWith(property) ? name.slice(property.length) : ''),
    )
    if (!parents.test(unit.keyword) && !isFound) found.set(property, describe(root, unit, forms))
  }
  return [...found].map(([property, problem]) => `${property}: ${problem}`)
}
