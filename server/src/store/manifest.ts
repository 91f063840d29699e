import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { logFile, logFolder } from './openLogs.js'
import { StoreProblem } from './StoreProblem.js'

interface Manifest {
  format: 1
  catalogs: string[]
}

const name = 'store.json'
const damaged = (what: string) =>
  new StoreProblem(
    `The store is damaged: ${what}. Nothing was changed; restore the data folder from a backup.`,
  )

const read = (folder: string): Manifest | undefined => {
  const file = join(folder, name)
  if (!existsSync(file)) return undefined
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Partial<Manifest>
    if (manifest.format !== 1 || !Array.isArray(manifest.catalogs)) throw new Error('unknown format')
    return manifest as Manifest
  } catch (error) {
    throw damaged(`${file} cannot be read (${error instanceof Error ? error.message : String(error)})`)
  }
}

/** Refuses a folder that has lost a file: opening it would make an empty one in its place. */
export const checkManifest = (folder: string): void => {
  const manifest = read(folder)
  if (manifest === undefined) return
  const files = [...manifest.catalogs.map((catalog) => `${catalog}.duckdb`), join(logFolder, logFile)]
  const lost = files.find((file) => !existsSync(join(folder, file)))
  if (lost !== undefined) throw damaged(`${join(folder, lost)} is missing`)
}

/** Writes down what the folder holds, once it holds it. */
export const writeManifest = (folder: string, catalogs: readonly string[]): void => {
  const known = read(folder)?.catalogs ?? []
  const all = [...new Set([...known, ...catalogs])]
  if (all.length === known.length) return
  const file = join(folder, name)
  writeFileSync(`${file}.new`, JSON.stringify({ format: 1, catalogs: all } satisfies Manifest), {
    flush: true,
  })
  renameSync(`${file}.new`, file)
}
