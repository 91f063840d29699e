import { createLakehouse, LakehouseError } from '../../lakehouse.js'

const { endpoint, user, password } = document.querySelector('#live-script').dataset
const lakehouse = createLakehouse({ endpoint, username: user, password })

/** So often a statement is asked again while the query engine starts; the service waits three seconds before it says so. */
const mostStarts = 20

/**
 * Asks DuckDB, again while its engine starts. Throws an error with the service's own words when it refuses,
 * `unreachable` when there is none, and an `AbortError` when `signal` ends it.
 * @param {string} statement
 * @param {{ limit?: number, signal?: AbortSignal }} [options]
 * @param {number} [starts] How often the engine was found starting already.
 * @returns {Promise<{ columns: { name: string, type: string }[], rows: unknown[][] }>}
 */
export async function query(statement, options, starts = 0) {
  try {
    const result = await lakehouse.query(statement, { ...options, requested_by: 'fernweg' })
    return { columns: result.columns, rows: await result.rows() }
  } catch (error) {
    if (error.code === 'engine-starting' && starts < mostStarts) return query(statement, options, starts + 1)
    if (error instanceof LakehouseError || error.name === 'AbortError') throw error
    throw Object.assign(new Error('The service cannot be reached.', { cause: error }), { unreachable: true })
  }
}
