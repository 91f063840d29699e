import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPosition } from '../care/checkCatalogs.js'
import { Cleanups } from '../Cleanups.js'
import type { DataFolder } from '../store/DataFolder.js'
import { lockFolder } from '../store/lockFolder.js'
import { LogStore } from '../wal/LogStore.js'
import { salvageLog } from '../wal/salvageLog.js'
import { scanLog } from '../wal/scanLog.js'
import { type Command, dataFlag, dataFolderOf, findStore, readWords } from './Command.js'
import { openCatalogs } from './withStore.js'

const help = `waymark-server salvage [--data FOLDER]

For a data folder whose write-ahead log has lost a file or a part of one, so that the service refuses it.
Writes that log anew with every row that can still be read, and says how many accepted rows are given up.
A log that is whole is left alone. Stop the service first, and copy the folder: what cannot be read is
removed.

  --data FOLDER   the data folder   WAYMARK_DATA   ./waymark-data
`

const isWhole = (log: string) =>
  scanLog(log).then(
    () => true,
    () => false,
  )

/** The position up to which each catalog has been filled from its log. */
const readPositions = async (folder: DataFolder, cleanups: Cleanups) => {
  const temp = mkdtempSync(join(tmpdir(), 'waymark-'))
  cleanups.add(() => rmSync(temp, { recursive: true }))
  const instance = await openCatalogs(folder, temp)
  cleanups.add(() => instance.closeSync())
  const connection = await instance.connect()
  const positions = new Map<string, number>()
  for (const catalog of folder.catalogs) positions.set(catalog, await readPosition(connection, catalog))
  connection.closeSync()
  return positions
}

export const salvage: Command = {
  name: 'salvage',
  help,
  async run({ argv, env, print }) {
    const { values } = readWords(argv, dataFlag)
    const folder = findStore(dataFolderOf(values, env), 'write')
    const cleanups = new Cleanups()
    try {
      cleanups.add(await lockFolder(folder))
      folder.check()
      const positions = await readPositions(folder, cleanups)
      for (const logs of [folder.acceptLog, folder.appendLog]) {
        for (const catalog of LogStore.catalogsIn(logs)) {
          const log = join(logs, catalog)
          if (await isWhole(log)) {
            print(`${log} is whole.`)
            continue
          }
          const applied = positions.get(catalog) ?? 0
          const { kept, lost } = await salvageLog(log, applied)
          print(
            `${log} was damaged: ${catalog} has its rows through ${applied}, ${kept} later ones were kept, and ${lost} accepted rows are given up.`,
          )
        }
      }
      return 0
    } finally {
      await cleanups.run()
    }
  },
}
