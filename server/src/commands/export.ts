import { createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readTar, type TarFile } from '../care/tar.js'
import { OperatorError } from '../OperatorError.js'
import {
  type Command,
  dataFlag,
  dataFolderOf,
  findStore,
  readWords,
  withStore,
  WrongUsage,
} from './Command.js'
import { putInPlace } from '../disk/writeWhole.js'

const help = `waymark-server export --parquet FOLDER [--data FOLDER]

Writes all events and persons as Parquet files, as of one moment. The service may be running.

  FOLDER/events/environment=NAME/day=2026-01-31/events.parquet   days are those of UTC
  FOLDER/persons/environment=NAME/persons.parquet

A file has its name once it is complete, and takes the place of an older one.

  --parquet FOLDER   where the files go, made when it is missing
  --data FOLDER      the data folder   WAYMARK_DATA   ./waymark-data
`

const writeFile = async ({ name, body }: TarFile, target: string): Promise<void> => {
  const file = join(target, name)
  mkdirSync(dirname(file), { recursive: true })
  const partial = `${file}.partial`
  try {
    await pipeline(body, createWriteStream(partial))
    await putInPlace(partial, file)
  } finally {
    rmSync(partial, { force: true })
  }
}

export const exportParquet: Command = {
  name: 'export',
  help,
  async run({ argv, env, print }) {
    const { values } = readWords(argv, { ...dataFlag, parquet: { type: 'string' } })
    const target = values.parquet
    if (target === undefined) throw new WrongUsage('--parquet is missing: name the folder for the files.')
    const folder = findStore(dataFolderOf(values, env))
    mkdirSync(target, { recursive: true })
    let count = 0
    await withStore(folder, async ({ get }) => {
      for await (const file of readTar(await get('/care/export'))) {
        await writeFile(file, target)
        count++
      }
    }).catch((error: unknown) => {
      throw new OperatorError(`Only ${count} files could be written: ${(error as Error).message}. Try again.`)
    })
    print(`${count} files are in ${target}.`)
    return 0
  },
}
