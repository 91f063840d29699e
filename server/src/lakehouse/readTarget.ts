import { Refusal } from '../http/Refusal.js'
import { internalSchema } from '../store/lakehouseSchema.js'
import type { Target } from './Target.js'

const refuse = (message: string) => new Refusal(400, { error: 'invalid-parameter', message })

/** `catalog`, `schema` and `table` of a URL, all required. */
export const readTarget = (search: URLSearchParams, catalogs: readonly string[]): Target => {
  const read = (name: string) => {
    const value = search.get(name)
    if (value === null || value === '') throw refuse(`${name} is missing.`)
    if (value.length > 400 || value.includes('\0')) throw refuse(`${name} is not a name.`)
    return value
  }
  const target = { catalog: read('catalog'), schema: read('schema'), table: read('table') }
  if (!catalogs.includes(target.catalog)) {
    throw refuse(
      `There is no catalog ${target.catalog.slice(0, 80)} to write to; there are ${catalogs.join(', ')}.`,
    )
  }
  if (target.schema.toLowerCase() === internalSchema) {
    throw refuse(`The schema ${internalSchema} belongs to the service.`)
  }
  return target
}
