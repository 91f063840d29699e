import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { openAnalytics } from '../../server/dist/analytics/openAnalytics.js'
import { findEvents, setIds } from '../../server/dist/schema/personRows.js'
import { rewriteStore } from '../../server/dist/privacy/rewriteStore.js'
import { DataFolder } from '../../server/dist/disk/DataFolder.js'
import { setFolded } from '../../server/dist/schema/sessionTable.js'
import { days, fillPart, firstMs } from './fillShop.mjs'

const dayMs = 86_400_000
const run = promisify(execFile)

const withStore = async (folder, work) => {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: '4GiB',
    temp_directory: join(folder, 'temp'),
  })
  const connection = await instance.connect()
  try {
    await connection.run(`SET TimeZone = 'UTC'`)
    await connection.run(
      `ATTACH '${join(folder, 'analytics.duckdb')}' AS analytics (STORAGE_VERSION 'v1.5.0')`,
    )
    return await work(connection)
  } finally {
    // An open connection would keep the lock on the file.
    connection.closeSync()
    instance.closeSync()
  }
}

/** Whether a person is of the shop, and not of the load that comes by the log. */
const isOfShop = `person_id NOT LIKE 'visitor-%'`

/** Each visitor of the shop has one anonymous id, which is the first of its person's ids. */
const fillPersons = async (connection, last) => {
  await connection.run(`
CREATE OR REPLACE TEMP TABLE fresh AS
WITH piece AS (
  SELECT anonymous_id AS id, min("timestamp") AS first_seen, max("timestamp") AS last_seen, count(*) AS events
  FROM analytics.raw.events WHERE seq > ${last.before} AND seq <= ${last.now} GROUP BY ALL
  UNION ALL
  SELECT distinct_ids[1], first_seen, last_seen, events FROM analytics.raw.persons WHERE ${isOfShop}
), seen AS (
  SELECT id, min(first_seen) AS first_seen, max(last_seen) AS last_seen, sum(events)::BIGINT AS events
  FROM piece GROUP BY ALL
)
SELECT coalesce(m.person_key, hash('production', s.id)) AS person_key, 'production' AS environment,
  coalesce(m.person_id, s.id) AS person_id, list_distinct([s.id, coalesce(m.person_id, s.id)]) AS distinct_ids,
  [] AS traits, first_seen, last_seen, events
FROM seen s LEFT JOIN analytics.raw.id_map m ON m.id_key = hash('production', s.id)`)
  await connection.run(`DELETE FROM analytics.raw.persons WHERE ${isOfShop}`)
  await connection.run('INSERT INTO analytics.raw.persons BY NAME FROM fresh; DROP TABLE fresh')
}

/**
 * A query process's store with a shop that grows, and an archive beside it, as if all of it had come by a log. Events
 * are written by DuckDB right into the store, because the log would take hours; what comes by the log afterwards is
 * numbered behind all of them. They go to the archive by the service itself.
 */
export class GrowingShop {
  /** In millions of events, when it is as large as it gets. */
  #most
  #last = 0

  constructor(most) {
    this.#most = most
    const root = process.env.BENCH_STORES ?? mkdtempSync(join(tmpdir(), 'waymark-bench-start-'))
    this.isKept = process.env.BENCH_STORES !== undefined
    this.root = join(root, 'start')
    this.one = join(this.root, 'one')
    this.archive = join(this.root, 'archive')
    mkdirSync(this.one, { recursive: true })
  }

  /** When its newest event happened, as it has so many million. */
  endMs(millions) {
    return firstMs + (days * dayMs * millions) / this.#most
  }

  async grow(from, until) {
    rmSync(join(this.root, 'stage.json'), { force: true })
    await withStore(this.one, async (connection) => {
      const { temp } = new DataFolder(this.one)
      await openAnalytics(connection, from > 0 ? { path: this.archive, temp, isShared: true } : undefined)
      const share = { from: from / this.#most, until: until / this.#most, last: this.#last }
      const now = await fillPart(connection, { events: this.#most * 1_000_000 }, share)
      await fillPersons(connection, { before: this.#last, now })
      this.#last = now
      if (from === 0) {
        const behind = 2_000_000 * this.#most
        await connection.run(setFolded(behind))
        await connection.run(`INSERT INTO analytics.raw.position VALUES (${behind})`)
      }
      await connection.run('CHECKPOINT analytics')
    })
  }

  /** Writes the store anew, as an erase does: many days are archived at once here, which leaves more free blocks than ever. */
  compact() {
    return withStore(this.one, async (connection) => {
      await setIds(connection, [])
      await findEvents(connection)
      await rewriteStore(connection, new DataFolder(this.one), { finish: async () => undefined })
    })
  }

  /** How many megabytes each table has in the store, and its rows. */
  tables() {
    return withStore(this.one, async (connection) => {
      const sizes = []
      for (const table of ['events', 'sessions', 'persons', 'id_map']) {
        const reader = await connection.runAndReadAll(
          `SELECT (SELECT count(*) FROM analytics.raw.${table})::DOUBLE,
             (SELECT count(DISTINCT block_id) * 0.262144 FROM (
               SELECT block_id FROM pragma_storage_info('analytics.raw.${table}')
               UNION ALL SELECT unnest(additional_block_ids) FROM pragma_storage_info('analytics.raw.${table}')))::DOUBLE`,
        )
        const [rows, megabytes] = reader.getRows()[0]
        sizes.push(`${table} ${megabytes.toFixed(0)} MB (${rows} rows)`)
      }
      return sizes.join(', ')
    })
  }

  /** Keeps the log and what is needed to go on from it. */
  async keep(programs, log, stage) {
    await run(join(programs, 'pg_dump'), ['-Fc', '-f', join(this.root, 'log.dump'), log])
    writeFileSync(join(this.root, 'stage.json'), JSON.stringify(stage))
  }

  /** The last stage of an earlier run, whose log is put into an empty database. */
  async restore(programs, log) {
    const file = join(this.root, 'stage.json')
    if (!existsSync(file)) return undefined
    await run(join(programs, 'pg_restore'), ['-d', log, join(this.root, 'log.dump')])
    return JSON.parse(readFileSync(file, 'utf8'))
  }

  remove() {
    rmSync(this.root, { recursive: true, force: true })
  }
}
