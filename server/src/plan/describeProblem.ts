import type { ErrorObject } from 'ajv'
import { shorten } from '../json/shorten.js'

const most = 200

const withArticle = (type: string) =>
  type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`

const listTypes = (types: readonly string[]) => `must be ${types.map(withArticle).join(' or ')}`

const show = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** `items[].price` of `/items/0/price`: which place of a list it was says nothing of the plan. */
const nameOf = (path: string): string =>
  path
    .slice(1)
    .split('/')
    .map((part) => (/^\d+$/.test(part) ? '[]' : part.replaceAll('~1', '/').replaceAll('~0', '~')))
    .join('.')
    .replaceAll('.[]', '[]')

/** Says what the forms of a schema with several forms ask for: their types where these alone are wrong. */
const describeForms = (errors: readonly ErrorObject[], path: string): string => {
  const forms = errors.slice(0, -1)
  return forms.every(({ keyword, instancePath }) => keyword === 'type' && instancePath === path)
    ? listTypes([...new Set(forms.flatMap(({ params }) => params['type'] as string[]))])
    : 'is none of what the plan allows'
}

/** What is wrong, and the name of what it is wrong with within the object at the error's path, if that is not all of it. */
const read = (errors: readonly ErrorObject[]): { name?: string; problem: string } => {
  const { keyword, params, message, instancePath } = errors.at(-1)!
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return { name: String(params['missingProperty']), problem: 'is missing' }
    case 'additionalProperties':
      return { name: String(params['additionalProperty']), problem: 'is not in the plan' }
    case 'unevaluatedProperties':
      return { name: String(params['unevaluatedProperty']), problem: 'is not in the plan' }
    case 'false schema':
      return { problem: 'is not in the plan' }
    case 'items':
    case 'unevaluatedItems':
      return { name: '[]', problem: 'is not in the plan' }
    case 'type':
      return { problem: listTypes([params['type'] as string | string[]].flat()) }
    case 'enum':
      return { problem: `must be one of ${(params['allowedValues'] as unknown[]).map(show).join(', ')}` }
    case 'const':
      return { problem: `must be ${show(params['allowedValue'])}` }
    case 'anyOf':
    case 'oneOf':
      return { problem: describeForms(errors, instancePath) }
    default:
      return { problem: message ?? 'is wrong' }
  }
}

/**
 * The first problem of an event's properties, as `total: must be a number`. It names properties, and what the plan says
 * of them, but never a value that was sent.
 */
export const describeProblem = (errors: readonly ErrorObject[]): string => {
  const { name, problem } = read(errors)
  const path = nameOf(errors.at(-1)!.instancePath)
  const property =
    [path, name]
      .filter(Boolean)
      .join('.')
      .replace(/\.\[\]$/, '[]') || 'properties'
  return `${shorten(property, most)}: ${shorten(problem, most)}`
}
