import type { KeptKey } from '../http/apiKeys.js'
import { shapeChecker } from '../http/readJson.js'
import { userRoles } from '../options/values.js'
import type { UserRole } from './Identity.js'

/** A text that shows something, on one line, of letters that can be seen. A name in HTTP Basic has no colon. */
const shown = (more: string) =>
  String.raw`^[^\p{C}\p{Z}${more}](?:[^\p{C}\p{Zl}\p{Zp}${more}]*[^\p{C}\p{Z}${more}])?$`
const user = { type: 'string', pattern: shown(':'), maxLength: 100 }
const role = { type: 'string', enum: userRoles }
const id = { type: 'string', maxLength: 100 }

/** The flags that name environments part them by commas, and a key from its environment by a colon. */
const environmentName = { type: 'string', pattern: shown(':,'), maxLength: 100 }
const chosen = { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 1000, nullable: true }

const shapes = {
  invite: { user, role },
  'reset-password': { user },
  'withdraw-invitation': { user },
  'set-role': { user, role },
  'remove-user': { user },
  'make-key': {
    name: { type: 'string', pattern: shown(''), maxLength: 100 },
    kind: { type: 'string', enum: ['public', 'server'] },
    environments: chosen,
  },
  'rotate-key': { id },
  'withdraw-key': { id },
  'set-environments': { id, environments: chosen },
  'add-environment': { name: environmentName },
  'withdraw-environment': { name: environmentName },
}
type ChangeName = keyof typeof shapes

/** The fields of all changes; each has those of its shape. */
export interface AskedChange extends Pick<KeptKey, 'id' | 'name' | 'kind' | 'environments'> {
  change: ChangeName
  user: string
  role: UserRole
}

const shapeOf = (properties: object) => ({
  type: 'object',
  required: ['change', ...Object.keys(properties)],
  properties: { change: { type: 'string' }, ...properties },
  additionalProperties: false,
})
const checkName = shapeChecker({
  type: 'object',
  required: ['change'],
  properties: { change: { type: 'string', enum: Object.keys(shapes) } },
})
const checks = Object.fromEntries(
  Object.entries(shapes).map(([name, properties]) => [name, shapeChecker(shapeOf(properties))]),
)

/** Checks the name of a user whom a provider tells. */
export const checkEntering = shapeChecker({ type: 'object', properties: { user } })

/** @throws HttpError when it is none of the changes */
export const readChange = (value: unknown): AskedChange => {
  checkName(value)
  const asked = value as AskedChange
  checks[asked.change]!(value)
  return asked
}
