import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { killFamily } from '../cluster/processFamily.js'
import { basic } from '../fixtures/createService.js'
import { eventually } from '../fixtures/eventually.js'
import { type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'
import { startReceiver } from './startReceiver.js'

let folder: string
let running: Spawned | undefined
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-alerts-kill-'))
  receiver = await startReceiver()
})
afterEach(async () => {
  if (running !== undefined) await killFamily(running.pid)
  await running?.ended
  receiver.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const start = async () => {
  const flags = ['--port', '0', '--data', folder, '--users', 'ada:lovelace', '--api-keys', 'key']
  running = spawnService([...flags, '--webhook-hosts', receiver.host, '--log-level', 'error'], {
    direct: true,
  })
  return urlIn(await running.ready)
}
const kill = async () => {
  await killFamily(running!.pid)
  await running!.ended
}
const save = async (url: string, name: string) => {
  const figures = [{ ask: { name: 'explore', event: name }, column: 'figure' }]
  const to = [{ webhook: receiver.url, format: 'json' }]
  const value = { figures, over: 'minutes', minutes: 5, when: 'nothing', to }
  const body = JSON.stringify({ kind: 'alert', name, value })
  expect(
    (await fetch(`${url}/saved`, { method: 'POST', headers: { authorization: basic }, body })).status,
  ).toBe(200)
}

it('sends each message through kills at any moment, and again only with its id', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `alert ${at}`)
  let url = await start()
  await Promise.all(names.map((name) => save(url, name)))
  // A kill while the first is being sent, one while others are judged, and one at once after the start.
  receiver.answer = () => undefined
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(0))
  await kill()
  receiver.answer = receiver.take
  const before = receiver.received.length
  await start()
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(before))
  await kill()
  await start()
  await kill()
  url = await start()
  await Promise.all(names.map((name) => receiver.whenReceived(name, 1)))
  await eventually(async () => {
    const body = JSON.stringify({
      statement: 'SELECT count(*) FROM analytics.alert_messages WHERE sent_at IS NULL',
    })
    const response = await fetch(`${url}/query`, { method: 'POST', headers: { authorization: basic }, body })
    expect((await response.text()).trim().split('\n').at(-1)).toBe('[0]')
  })
  // What comes after another alert was judged and sent would have come by then.
  await save(url, 'another')
  await receiver.whenReceived('another', 1)
  for (const name of names) {
    const ids = new Set(receiver.of(name).map(({ message }) => message.id))
    expect({ name, ids: ids.size }).toEqual({ name, ids: 1 })
  }
})
