import { createFieldRewriter } from '../json/createFieldRewriter.js'
import { daysIn } from '../json/checkTimestamp.js'

export type FieldKind = 'integer' | 'float' | 'text' | 'timestamp' | 'boolean' | 'json'

/** What kinds of values each field holds, in the order in which fields were first seen; nulls have none. */
export type Fields = Record<string, FieldKind[]>

const timestamp =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

const isTimestamp = (text: string): boolean => {
  if (!timestamp.test(text)) return false
  const day = Number(text.slice(8, 10))
  return day <= 28 || day <= daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7)))
}

/** Where BIGINT ends. JSON.parse makes this of its greatest number, and of some that are beyond. */
const edge = 2 ** 63

const kindOf = (value: unknown): FieldKind | 'edge' | undefined => {
  if (value === null) return undefined
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || Math.abs(value) > edge) return 'float'
    return Math.abs(value) === edge ? 'edge' : 'integer'
  }
  if (typeof value === 'string') return isTimestamp(value) ? 'timestamp' : 'text'
  return typeof value === 'boolean' ? 'boolean' : 'json'
}

/** Which of the fields hold a number that BIGINT does not, by the digits that were sent. */
const beyondBigint = (fields: ReadonlySet<string>, json: string): Set<string> => {
  const found = new Set<string>()
  const rewrite = (token: string, field: string) => {
    const isWhole = /^-?\d+$/.test(token)
    if (token[0] !== '"' && (!isWhole || BigInt.asIntN(64, BigInt(token)) !== BigInt(token))) found.add(field)
    return token
  }
  createFieldRewriter({ fields, rewrite }).feed(Buffer.from(json))
  return found
}

/** `json` is what the records were sent as. */
export const describeFields = (records: readonly Record<string, unknown>[], json: string): Fields => {
  const found = new Map<string, Set<FieldKind>>()
  const atEdge = new Set<string>()
  for (const record of records) {
    for (const name in record) {
      const kinds = found.get(name) ?? new Set()
      found.set(name, kinds)
      const kind = kindOf(record[name])
      if (kind === 'edge') atEdge.add(name)
      else if (kind !== undefined) kinds.add(kind)
    }
  }
  if (atEdge.size > 0) {
    const beyond = beyondBigint(atEdge, json)
    for (const name of atEdge) found.get(name)!.add(beyond.has(name) ? 'float' : 'integer')
  }
  return Object.fromEntries([...found].map(([name, kinds]) => [name, [...kinds]]))
}
