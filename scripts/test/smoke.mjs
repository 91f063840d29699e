// Does what was built work in the Node that runs this? `library`: it can be loaded. `service`: it also starts, stores,
// answers, stops, and starts again with what it has stored.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '../startService.mjs'

const users = 'ada:a secret for the smoke'
const authorization = `Basic ${Buffer.from(users).toString('base64')}`

/** @param {URL} url @param {Record<string, string>} headers @param {unknown} body */
async function post(url, headers, body) {
  const sent = { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
  const response = await fetch(url, { method: 'POST', ...sent })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return text
}

/** @param {string} data a folder */
async function tryService(data) {
  for (const runs of [1, 2]) {
    const { url, stop, gone } = await startService({ data, apiKeys: 'pk_smoke', users })
    const event = { environment: 'production', event: 'Seen', properties: { insert_id: `id ${runs}` } }
    const track = () => post(new URL('/track?sync=true', url), { 'x-api-key': 'pk_smoke' }, event)
    await track()
    await track()
    const statement = 'SELECT count(*)::INT FROM events'
    const answer = await post(new URL('/query', url), { authorization }, { statement })
    assert.equal(answer.trim().split('\n').at(-1), `[${runs}]`)
    await stop()
    assert.deepEqual(await gone, [0, null])
  }
}

const { createWaymark } = await import('waymark')
assert.equal(typeof createWaymark, 'function')
assert.equal(typeof (await import('waymark/node')).createWaymark, 'function')
if (process.argv[2] === 'service') {
  const data = mkdtempSync(join(tmpdir(), 'waymark-smoke-'))
  try {
    await tryService(data)
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}
console.log(`The ${process.argv[2]} works in Node ${process.versions.node}.`)
