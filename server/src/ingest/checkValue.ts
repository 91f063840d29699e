const maxDepth = 100

/** What is wrong with a value that is JSON already, for a column that holds JSON; undefined when it is fine. */
export const checkValue = (value: unknown, depth = 0): string | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'holds a number out of range'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= maxDepth) return `is nested deeper than ${maxDepth} levels`
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof each === 'string') continue
    const problem = checkValue(each, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}
