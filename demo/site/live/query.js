const { endpoint, user, password } = document.querySelector('#live-script').dataset

/**
 * Asks DuckDB. Throws an error with the service's own words when it refuses, `unreachable` when there is none.
 * @param {string} statement
 * @param {number} [limit]
 * @returns {Promise<{ columns: { name: string, type: string }[], rows: unknown[][] }>}
 */
export async function query(statement, limit) {
  let response
  try {
    response = await fetch(`${endpoint}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(`${user}:${password}`)}` },
      body: JSON.stringify({ statement, ...(limit && { limit }), requested_by: 'fernweg' }),
    })
  } catch (error) {
    throw Object.assign(new Error('The service cannot be reached.', { cause: error }), { unreachable: true })
  }
  const lines = (await response.text()).split('\n').filter(Boolean)
  if (!response.ok) {
    const { message, error } = readJson(lines[0]) ?? {}
    throw new Error(String(message ?? error ?? `The service answered ${response.status}.`))
  }
  const [, columns, ...rows] = lines.map((line) => JSON.parse(line))
  const last = rows.at(-1)
  // A query that fails halfway says so in its last line.
  if (last && !Array.isArray(last)) throw new Error(String(last.error?.message ?? last.error ?? last.message))
  return { columns, rows }
}

const readJson = (/** @type {string | undefined} */ text) => {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
