import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { basic, createService } from '../fixtures/createService.js'
import { eventually } from '../fixtures/eventually.js'
import { type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'

let folder: string
let killed: Spawned | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-saved-kill-'))
})
afterEach(async () => {
  killed?.kill('SIGKILL')
  await killed?.ended
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

it('keeps, through a kill, each goal that it said was saved', async () => {
  const flags = ['--port', '0', '--data', folder, '--users', 'ada:lovelace', '--api-keys', 'key']
  killed = spawnService(flags, { direct: true })
  const url = urlIn(await killed.ready)
  const saved: string[] = []
  const save = async (name: string) => {
    const body = JSON.stringify({ kind: 'goal', name, value: { event: name } })
    const { ok } = await fetch(`${url}/saved`, { method: 'POST', headers: { authorization: basic }, body })
    if (ok) saved.push(name)
    if (saved.length >= 20) killed!.kill('SIGKILL')
  }
  const names = Array.from({ length: 200 }, (_, at) => `goal ${at}`)
  // The process ends in the middle of the rest.
  await Promise.allSettled(names.map(save))
  await killed.ended
  expect(saved.length).toBeGreaterThanOrEqual(20)

  const service = await createService({ dataFolder: folder })
  try {
    // A start answers before all that was accepted is stored.
    await eventually(async () => {
      const kept = (await service.query('SELECT name FROM analytics.saved')).rows.flat()
      expect(saved.filter((name) => !kept.includes(name))).toEqual([])
      expect(new Set(kept).size).toBe(kept.length)
    })
  } finally {
    await service.stop()
  }
})
