import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { createService, type Service } from '../fixtures/createService.js'
import { createOldStore, rowsOf as read } from './oldStore.js'
import { eventually } from '../fixtures/eventually.js'

/** A copy of the old store for each test of a file, which may start services on it with an archive. */
export const useOldStore = () => {
  let old: Awaited<ReturnType<typeof createOldStore>>
  let root: string
  let service: Service
  beforeAll(async () => {
    old = await createOldStore()
  })
  afterAll(() => rmSync(old.folder, { recursive: true, force: true }))
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'waymark-archive-'))
    cpSync(old.folder, join(root, 'data'), { recursive: true })
  })
  afterEach(async () => {
    await service.close()
    rmSync(root, { recursive: true, force: true })
  })

  const rowsOf = (statement: string) => read(service, statement)
  const inTable = () => rowsOf('SELECT event FROM analytics.raw.events ORDER BY seq')
  const start = async (more: ServerOptions = {}) => {
    const [archiveFolder, dataFolder] = [join(root, 'archive'), join(root, 'data')]
    service = await createService({ archiveFolder, dataFolder, ...more })
    return service
  }
  return {
    rowsOf,
    inTable,
    start,
    /** Starts the service, and resolves once all but the newest event are in the archive. */
    async startAndArchive(more: ServerOptions = {}) {
      await start(more)
      await eventually(async () => expect(await inTable()).toEqual([['Now']]))
      return { service, root, archive: join(root, 'archive'), answers: old.answers }
    },
  }
}
