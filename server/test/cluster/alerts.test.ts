import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startReceiver } from '../alerts/startReceiver.js'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { eventually } from '../fixtures/eventually.js'
import type { Cluster } from './Cluster.js'
import { createDatabase } from './createDatabase.js'
import { startCluster } from './startCluster.js'

const hourMs = 3_600_000

let cluster: Cluster
let root: string
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'waymark-alerts-cluster-'))
  cluster = await startCluster({ standbys: 0 })
  receiver = await startReceiver()
})
afterAll(async () => {
  await cluster.close()
  receiver.close()
  rmSync(root, { recursive: true, force: true })
})

it('an alert fires once however many processes there are, and goes on when the one that judged it ends', async () => {
  let nowMs = Date.parse('2026-03-02T10:30:00Z')
  const database = await createDatabase(cluster.primary)
  const start = (name: string) =>
    createService({
      ...{ dataFolder: join(root, name), log: database.url, logDurability: 'local' },
      ...{ now: () => nowMs, webhookHosts: [receiver.host] },
    })
  const services: [Service, Service, Service] = [await start('one'), await start('two'), await start('three')]
  try {
    const alert = (name: string) => ({
      ...{ kind: 'alert', name },
      value: {
        figures: [{ ask: { name: 'explore', event: name }, column: 'figure' }],
        ...{ over: 'hour', when: 'below', than: 1, to: [{ webhook: receiver.url, format: 'json' }] },
      },
    })
    const save = async (service: Service, name: string) =>
      expect((await service.ask('/saved', alert(name))).status).toBe(200)
    await save(services[0], 'Orders')
    await receiver.whenReceived('Orders', 1)
    const sentIn = async (service: Service) =>
      (
        await service.query(
          `SELECT alert, kind, sent_at IS NOT NULL FROM analytics.alert_messages ORDER BY ALL`,
        )
      ).rows
    // Before that a message may come twice, from a process that does not know yet that it was sent.
    const allKnowOf = async (count: number) => {
      for (const each of services)
        await eventually(async () => {
          const rows = await sentIn(each)
          expect(rows.map(([, , isSent]) => isSent)).toEqual(Array.from({ length: count }, () => true))
        })
    }
    await allKnowOf(1)

    // Whichever holds the lock, it is among the first two that end.
    for (const [kind, count] of [
      ['recovered', 2],
      ['fired', 3],
    ] as const) {
      await services.shift()!.stop()
      const time = { timestamp: nowMs, distinct_id: 'p' }
      if (kind === 'recovered') await services[0].ingest('/track?sync=true', [event('Orders', time)])
      nowMs += hourMs
      const all = await receiver.whenReceived('Orders', count)
      expect(all.at(-1)?.message.kind).toBe(kind)
      await allKnowOf(count)
    }
    await save(services[0], 'Another')
    await receiver.whenReceived('Another', 1)
    expect(receiver.of('Orders').map(({ message }) => message.kind)).toEqual(['fired', 'recovered', 'fired'])
    expect(new Set(receiver.of('Orders').map(({ message }) => message.id)).size).toBe(3)
  } finally {
    for (const each of services) await each.stop()
  }
})
