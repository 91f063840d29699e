import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { createService, type Service } from '../fixtures/createService.js'
import type { Cluster } from './Cluster.js'
import { createDatabase, type LogDatabase } from './createDatabase.js'
import { fillLog, type LogFiller } from './fillLog.js'
import { startCluster } from './startCluster.js'
import { eventually } from '../fixtures/eventually.js'

export const rowsOf = async (service: Service, statement: string) => {
  const { rows, error } = await service.query(statement)
  expect(error, `${statement}: ${JSON.stringify(error)}`).toBeUndefined()
  return rows
}

/** Resolves once no old event is in the tables of some stores: all but today's `Now` are in files. */
export const whenArchived = (...services: Service[]) =>
  eventually(async () => {
    for (const service of services) {
      const left = await rowsOf(service, `SELECT DISTINCT event FROM analytics.raw.events`)
      expect(left).toEqual([['Now']])
    }
  })

export interface LakeStage {
  cluster: Cluster
  database: LogDatabase
  root: string
  /** The folder that all stores share. */
  archive: string
  filler: LogFiller
  /** A service on a store with this name. */
  start(name: string, more?: ServerOptions): Promise<Service>
}

/** A log of its own for each test of a file, with services that share an archive. */
export const useLake = (): LakeStage => {
  const stage = {} as LakeStage
  let closing: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    stage.cluster = await startCluster({ standbys: 0 })
  })
  afterAll(() => stage.cluster.close())
  beforeEach(async () => {
    stage.root = mkdtempSync(join(tmpdir(), 'waymark-lake-'))
    stage.archive = join(stage.root, 'archive')
    stage.database = await createDatabase(stage.cluster.primary)
    stage.filler = await fillLog(stage.database.url)
    // The log keeps its rows for a store that is away, so that each store may begin with the first one.
    await stage.database.query(
      `INSERT INTO waymark.readers (name, applied, seen) VALUES ('away', 0, now() - interval '1 day')`,
    )
    closing = [() => stage.filler.stop()]
  })
  afterEach(async () => {
    for (const close of closing.toReversed()) await close()
    rmSync(stage.root, { recursive: true, force: true })
  })
  stage.start = async (name, more = {}) => {
    const service = await createService({
      dataFolder: join(stage.root, name),
      log: stage.database.url,
      logDurability: 'local',
      archiveFolder: stage.archive,
      ...more,
    })
    closing.push(() => service.stop())
    return service
  }
  return stage
}
