export type FieldKind = 'integer' | 'float' | 'text' | 'timestamp' | 'boolean' | 'json'

/** What kinds of values each field holds, in the order in which fields were first seen; nulls have none. */
export type Fields = Record<string, FieldKind[]>

const timestamp =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/
const largest = 2 ** 63

const kindOf = (value: unknown): FieldKind | undefined => {
  if (value === null) return undefined
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < largest ? 'integer' : 'float'
  if (typeof value === 'string') return timestamp.test(value) ? 'timestamp' : 'text'
  return typeof value === 'boolean' ? 'boolean' : 'json'
}

export const describeFields = (records: readonly Record<string, unknown>[]): Fields => {
  const found = new Map<string, Set<FieldKind>>()
  for (const record of records) {
    for (const name in record) {
      const kinds = found.get(name) ?? new Set()
      found.set(name, kinds)
      const kind = kindOf(record[name])
      if (kind !== undefined) kinds.add(kind)
    }
  }
  return Object.fromEntries([...found].map(([name, kinds]) => [name, [...kinds]]))
}
