// Files that a script writes, uploaded and read back: each cell is what its maker says, or the file is refused.
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { run as runCommand } from '../../../scripts/setup/run.mjs'

const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?$/

/** Whether a cell is the same value as the text in the file. @param {unknown} found @param {string | null} written */
function isCell(found, written) {
  // Python does not tell an empty text from nothing.
  if (written === null || typeof found !== 'string') return found === written || found === ''
  const point = written.replace(/^(-?\d+),(\d+)$/, '$1.$2')
  if (isNumber.test(found) && isNumber.test(point)) return Number(found) === Number(point)
  const [, a, zone = ''] = /^(\d{4}-\d\d-\d\d[ T]\d\d:.*?)(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(written) ?? []
  if (a === undefined) return found === written
  // A moment with a zone is kept in UTC; the T between day and time, and zeros at the end, are gone.
  if (zone) return Date.parse(found.replace(/\+00$/, 'Z')) === Date.parse(written)
  return (
    found ===
    a
      .replace('T', ' ')
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, '')
  )
}

const brief = (/** @type {unknown} */ value) => JSON.stringify(value).slice(0, 200)

/**
 * @param {import('../../../scripts/test/suites.mjs').Started} service
 * @param {string} python
 * @param {string} script of `files`, which writes them
 * @returns {Promise<Map<string, string>>}
 */
export async function compareFiles({ ask, post, work }, python, script) {
  const folder = mkdtempSync(join(work, 'files-'))
  const { code, output } = await runCommand(
    python,
    ['-B', join(import.meta.dirname, 'files', script), folder],
    { quiet: true, timeoutMs: 300_000, env: { TZ: 'UTC' } },
  )
  if (code !== 0) throw new Error(output)
  /** @type {Map<string, string>} */
  const cases = new Map()
  for (const file of JSON.parse(readFileSync(join(folder, 'list.json'), 'utf8'))) {
    const { name, query, columns, rows, refused } = file
    await ask('DROP TABLE IF EXISTS made')
    const address = `/upload?catalog=lakehouse&schema=main&table=made&mode=create&${query}`
    const { status, text } = await post(
      address,
      readFileSync(join(folder, name.replace('/', '-'))),
      'application/octet-stream',
    )
    if (status !== 200 || refused !== null) {
      const isAsked = status === 400 && refused !== null && text.includes(refused)
      cases.set(name, isAsked ? '' : `${status} ${text.slice(0, 300)}`)
      continue
    }
    const isText = query.includes('csv') || query === ''
    const answer = await ask(`SELECT ${isText ? 'COLUMNS(*)::VARCHAR' : '*'} FROM made`)
    if ('error' in answer) throw new Error(`${name}: ${answer.error}`)
    const names = answer.columns.map((column) => column.name)
    const isSame = (/** @type {unknown} */ found, /** @type {unknown} */ written) =>
      isText || (query.includes('json') && typeof written === 'string')
        ? isCell(found, /** @type {string | null} */ (written))
        : isDeepStrictEqual(found, written)
    const differs = rows.findIndex(
      (/** @type {unknown[]} */ row, /** @type {number} */ i) =>
        !row.every((cell, j) => isSame(answer.rows[i]?.[j], cell)),
    )
    const problem = !isDeepStrictEqual(names, columns)
      ? `columns ${brief(names)} instead of ${brief(columns)}`
      : answer.rows.length !== rows.length
        ? `${answer.rows.length} rows instead of ${rows.length}`
        : differs < 0
          ? ''
          : `${brief(answer.rows[differs])} instead of ${brief(rows[differs])}`
    cases.set(name, problem)
  }
  return cases
}
