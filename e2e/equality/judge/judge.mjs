import { questions } from './questions.mjs'

/** @typedef {import('../types').Row} Row */

/**
 * Asks the service all questions in SQL.
 * @param {(statement: string) => Promise<any[][]>} query
 * @returns {Promise<import('../types').Answer[]>}
 */
export async function askSql(query) {
  const answers = []
  for (const { sql: source, ...question } of questions)
    answers.push({ ...question, by: /** @type {const} */ ('SQL'), source, rows: await query(source) })
  return answers
}

/** Rows of the one list that the other has not, or not as often. @param {Row[]} these @param {Row[]} those */
function without(these, those) {
  /** @type {Map<string, number>} */
  const there = new Map()
  for (const row of those) {
    const text = JSON.stringify(row)
    there.set(text, (there.get(text) ?? 0) + 1)
  }
  return these
    .map((row) => JSON.stringify(row))
    .filter((text) => {
      const left = there.get(text) ?? 0
      there.set(text, left - 1)
      return left <= 0
    })
    .toSorted()
}

/**
 * Compares what the service answered with the truth.
 * @param {import('../types').Answer[]} answers
 * @param {import('../types').Truth} truth
 * @returns {import('../types').Verdict[]}
 */
export function judge(answers, truth) {
  return answers.map(({ rows, expect, ...asked }) => {
    const expected = expect(truth)
    return {
      ...asked,
      rows: expected.length,
      missing: without(expected, rows),
      extra: without(rows, expected),
    }
  })
}

/** @param {import('../types').Verdict[]} verdicts */
export const countDifferences = (verdicts) =>
  verdicts.reduce((sum, { missing, extra }) => sum + Math.max(missing.length, extra.length), 0)
