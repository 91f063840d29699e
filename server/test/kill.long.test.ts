import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { urlIn } from './fixtures/spawnService.js'
import { rows, track, useSpawned } from './fixtures/useSpawned.js'

const { startDirectly } = useSpawned()

describe('kill -9', () => {
  it('keeps every accepted event, once, through kills at random moments', async () => {
    const accepted = new Set<number>()
    let next = 0
    for (let round = 0; round < 4; round++) {
      const before = accepted.size
      const service = startDirectly()
      const url = urlIn(await service.listening)
      let alive = true
      const sender = async () => {
        while (alive) {
          const from = next
          next += 10
          const batch = Array.from({ length: 10 }, (_, at) => ({
            environment: 'production',
            event: 'numbered',
            properties: { n: from + at },
          }))
          try {
            const response = await track(url, batch)
            const answer = (await response.json()) as { ok: boolean }
            if (answer.ok) for (let at = 0; at < 10; at++) accepted.add(from + at)
          } catch {
            return
          }
        }
      }
      const senders = [sender(), sender(), sender()]
      while (accepted.size < before + 30) await delay(5)
      await delay(150 + round * 90)
      service.kill('SIGKILL')
      await service.ended
      alive = false
      await Promise.all(senders)
    }
    const last = startDirectly()
    const url = urlIn(await last.ready)
    await track(url, { environment: 'production', event: 'end', properties: {} }, '&sync=true')
    const stored = (
      await rows(url, `SELECT (properties->>'n')::INT FROM events WHERE event = 'numbered' ORDER BY 1`)
    ).map(([n]) => n as number)
    expect(accepted.size).toBeGreaterThan(100)
    expect(new Set(stored).size).toBe(stored.length)
    expect([...accepted].filter((n) => !new Set(stored).has(n))).toEqual([])
  })
})
