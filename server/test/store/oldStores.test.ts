import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createService } from '../fixtures/createService.js'

interface Expected {
  taskId: string
  answers: { statement: string; rows: unknown[][] }[]
}

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/stores/${name}`, import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-old-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it.each([1, 2, 3])(
  'a store that version %i wrote holds the same events, persons and identities after its upgrade',
  async (version) => {
    execFileSync('tar', [
      '--extract',
      '--gzip',
      '--file',
      fixture(`version-${version}.tar.gz`),
      '--directory',
      folder,
    ])
    const { taskId, answers } = JSON.parse(
      readFileSync(fixture(`version-${version}.json`), 'utf8'),
    ) as Expected
    const service = await createService({ dataFolder: folder })
    try {
      for (const { statement, rows } of answers) expect((await service.query(statement)).rows).toEqual(rows)
      expect((await service.get(`/tasks/${taskId}`)).body['status']).toBe('completed')

      const bots = await service.query('SELECT bot, count(*) FROM events GROUP BY ALL ORDER BY ALL')
      expect(bots.rows).toEqual([
        ['crawler Googlebot', 4],
        [null, 36],
      ])
      expect((await service.query('SELECT version FROM analytics.raw.store')).rows).toEqual([[4]])

      const again = { environment: 'production', event: 'again', properties: { insert_id: 'id-39' } }
      await service.ingest('/track?sync=true', [again, { ...again, properties: { insert_id: 'new' } }])
      const { rows } = await service.query('SELECT event_id FROM events WHERE event_id > 42')
      expect(rows).toEqual([[45]])
    } finally {
      await service.close()
    }
  },
)
