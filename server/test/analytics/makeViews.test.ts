import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { changeStore } from '../fixtures/changeStore.js'
import { createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

let dataFolder: string
beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'waymark-views-'))
})
afterEach(() => rmSync(dataFolder, { recursive: true }))

/** A store with one event, changed while no service uses it; gives what the next service says. */
const ask = async (statement: string, ...changes: string[]) => {
  const first = await createService({ dataFolder })
  await first.ingest('/track?sync=true', event('seen'))
  await first.stop()
  await changeStore(dataFolder, ...changes)
  const second = await createService({ dataFolder })
  try {
    return (await second.query(statement)).rows
  } finally {
    await second.stop()
  }
}

const otherViews = [
  'CREATE OR REPLACE VIEW analytics.main.events AS SELECT 1 AS another',
  'DROP MACRO TABLE analytics.main.daily',
]

it('views that another version of the service has made are made anew', async () => {
  const changes = [...otherViews, `COMMENT ON VIEW analytics.raw.made IS 'another'`]
  expect(await ask('SELECT event, (SELECT count(*) FROM daily()) FROM events', ...changes)).toEqual([
    ['seen', 1],
  ])
})

it('a store that was written anew, without its views, has them again', async () => {
  expect(await ask('SELECT event FROM events', ...otherViews, 'DROP VIEW analytics.raw.made')).toEqual([
    ['seen'],
  ])
})

it('views that this version has made stay as they are', async () => {
  const changes = [`COMMENT ON VIEW analytics.main.events IS 'as it was'`]
  const comment =
    "SELECT comment FROM duckdb_views() WHERE database_name = 'analytics' AND view_name = 'events'"
  expect(await ask(comment, ...changes)).toEqual([['as it was']])
})
