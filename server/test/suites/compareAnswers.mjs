// One statement, asked of DuckDB alone and of the service.
/** @typedef {import('./duckdbAlone.mjs').Answer} Answer */

const brief = (/** @type {unknown} */ value) => {
  const text = JSON.stringify(value)
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}

/** Doubles may differ in what the order of adding up leaves. @param {unknown} a @param {unknown} b @returns {boolean} */
function isSame(a, b) {
  if (typeof a === 'number' && typeof b === 'number')
    return a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b))
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [left, right] = [Object.entries(a), Object.entries(b)]
  return (
    Array.isArray(a) === Array.isArray(b) &&
    left.length === right.length &&
    left.every(([name, one], i) => right[i]?.[0] === name && isSame(one, right[i][1]))
  )
}

/**
 * @param {string} statement
 * @param {Answer} wanted what DuckDB says
 * @param {Answer} found what the service says
 * @returns {string} how they differ; nothing where they do not
 */
export function compareAnswers(statement, wanted, found) {
  if ('error' in wanted) return 'error' in found ? '' : `DuckDB refuses it (${wanted.error.split('\n')[0]})`
  if ('error' in found) return `is refused: ${found.error.split('\n')[0]}`
  if (brief(wanted.columns) !== brief(found.columns))
    return `columns ${brief(found.columns)} instead of ${brief(wanted.columns)}`
  const isOrdered = /\bORDER BY\b/i.test(statement)
  const sort = (/** @type {unknown[][]} */ rows) =>
    isOrdered ? rows : rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  const [theirs, ours] = [sort(wanted.rows), sort(found.rows)]
  if (theirs.length !== ours.length) return `${ours.length} rows instead of ${theirs.length}`
  const at = theirs.findIndex((row, i) => !isSame(row, ours[i]))
  return at < 0 ? '' : `row ${at + 1} is ${brief(ours[at])} instead of ${brief(theirs[at])}`
}
