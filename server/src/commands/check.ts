import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import type { Checked, Finding } from '../care/checkCatalogs.js'
import type { DataFolder } from '../disk/DataFolder.js'
import { LogStore } from '../wal/LogStore.js'
import { scanLog } from '../wal/scanLog.js'
import { type Command, dataFlag, dataFolderOf, findStore, readWords, withStore } from './Command.js'

const help = `waymark-server check [--data FOLDER]

Reads a whole data folder and says whether it is as it was written: the checksums of the write-ahead
logs and of DuckDB's blocks, the version, and whether events, persons, sessions and ids agree. Changes
nothing. The service may be running. The exit code is 1 when something is wrong.

  --data FOLDER   the data folder   WAYMARK_DATA   ./waymark-data
`

const tries = 5
const retryMs = 200

interface CheckedLog extends Finding {
  catalog: string
  /** The sequence before the first row that the log still has. */
  before: number
}

/** A log that is being written may look broken for a moment, because its files are read one after the other; it is read again. */
const checkLog = async (folder: string, catalog: string, isRunning: boolean): Promise<CheckedLog> => {
  const path = join(folder, catalog)
  for (let left = isRunning ? tries : 1; ; left--) {
    try {
      const { live, last, held } = await scanLog(path)
      const before = live[0]?.before ?? 0
      const rows = held.length === 0 ? `no rows after ${before}` : `rows ${before + 1} to ${last}`
      return { catalog, before, ok: true, text: `${path} has ${rows}, and its checksums are right.` }
    } catch (error) {
      if (left <= 1) return { catalog, before: 0, ok: false, text: (error as Error).message }
      await delay(retryMs)
    }
  }
}

const checkLogs = async (folder: DataFolder, isRunning: boolean): Promise<CheckedLog[]> => {
  const checked: CheckedLog[] = []
  for (const logs of [folder.acceptLog, folder.appendLog]) {
    for (const catalog of LogStore.catalogsIn(logs)) checked.push(await checkLog(logs, catalog, isRunning))
  }
  return checked
}

/** Checks that each catalog has the rows that its log has given up. */
const checkPositions = (logs: readonly CheckedLog[], positions: Record<string, number>): Finding[] =>
  logs.flatMap(({ catalog, before }) => {
    const position = positions[catalog] ?? 0
    const text = `${catalog} has rows through ${position}, and its log begins after ${before}: the rows between are lost.`
    return position < before ? [{ ok: false, text }] : []
  })

export const check: Command = {
  name: 'check',
  help,
  async run({ argv, env, print }) {
    const { values } = readWords(argv, dataFlag)
    const folder = findStore(dataFolderOf(values, env))
    const findings = await withStore(folder, async ({ isRunning, get }) => {
      // The logs are read before the catalogs: after that the catalogs only get more rows.
      const logs = await checkLogs(folder, isRunning)
      const checked = (await json(await get('/care/check'))) as Checked
      return [...logs, ...checked.findings, ...checkPositions(logs, checked.positions)]
    })
    for (const { ok, text } of findings) print(`${ok ? 'ok   ' : 'WRONG'}  ${text}`)
    const wrong = findings.filter(({ ok }) => !ok).length
    print(
      wrong === 0 ? `${folder.path} is whole.` : `${folder.path} is damaged: see the lines that say WRONG.`,
    )
    return wrong === 0 ? 0 : 1
  },
}
