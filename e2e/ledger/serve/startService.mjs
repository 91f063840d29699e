import { setTimeout as sleep } from 'node:timers/promises'
import { startProgram } from '../../../scripts/startService.mjs'

const login = { user: 'ledger', password: 'ledger' }
const user = `${login.user}:${login.password}`

/**
 * Starts the service on a free port.
 * @param {{ launcher: string, data: string, apiKeys: string[] }} options
 */
export async function startService({ launcher, data, apiKeys }) {
  const flags = ['--port', '0', '--data', data, '--api-keys', apiKeys.join(','), '--users', user]
  const { url, stop } = await startProgram(launcher, flags)
  const headers = {
    Authorization: `Basic ${Buffer.from(user).toString('base64')}`,
    'Content-Type': 'application/json',
  }

  return {
    url,
    login,
    /**
     * @param {string} statement
     * @returns {Promise<any[][]>} the rows
     */
    async query(statement) {
      const response = await fetch(`${url}/query`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ statement }),
      })
      const text = await response.text()
      // On a busy machine pages have come and gone before the query engine is there.
      if (response.status === 503 && text.includes('engine-starting')) {
        await sleep(100)
        return this.query(statement)
      }
      if (!response.ok) throw new Error(`/query answered ${response.status}: ${text}`)
      const rows = text
        .trim()
        .split('\n')
        .slice(2)
        .map((line) => JSON.parse(line))
      const wrong = rows.find((row) => !Array.isArray(row))
      if (wrong) throw new Error(`/query broke off: ${JSON.stringify(wrong)}`)
      return rows
    },
    /** @param {object} item as `POST /saved` takes it */
    async save(item) {
      const response = await fetch(`${url}/saved`, { method: 'POST', headers, body: JSON.stringify(item) })
      if (!response.ok) throw new Error(`/saved answered ${response.status}: ${await response.text()}`)
    },
    stop,
  }
}

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */
