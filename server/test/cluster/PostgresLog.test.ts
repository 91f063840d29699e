import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import type { Cluster } from './Cluster.js'
import { startCluster } from './startCluster.js'

let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster()
}, 60_000)
afterAll(() => cluster.close())

it('stores what was accepted', async () => {
  const lines: string[] = []
  const service = await createService({
    log: cluster.url,
    logLevel: 'info',
    writeLog: (line) => lines.push(line),
  })
  try {
    const answer = await service.ingest('/track?sync=true', event('one'))
    console.log(answer.body)
    const rows = await service.query('SELECT count(*) FROM events')
    console.log(
      rows.rows,
      (await service.get('/healthz')).body,
      (await service.get(`/tasks/${answer.body['task_id']}`)).body,
    )
    await service.restart()
    console.log((await service.ingest('/track?sync=true', [event('two'), event('three')])).body)
    console.log((await service.query('SELECT count(*) FROM events')).rows)
  } finally {
    await service.close()
    console.log(lines.join(''))
  }
}, 60_000)
