import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { damaged, StoreError } from './StoreError.js'

interface Manifest {
  format: 1
  catalogs: string[]
}

const claimed = new Set<string>()

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** The folder that everything is kept in, and the list of what it must hold. */
export class DataFolder {
  readonly path: string
  /** Files of no catalog, which belong to no manifest and can be lost. */
  readonly temp: string
  readonly logs: string
  /** Follows from the catalogs, and is made again when it is lost. */
  readonly insertIds: string
  readonly #manifest: string

  /**
   * Makes the folder and claims it within this process. Between processes DuckDB's own file lock
   * decides; within one it would open the same file twice without a word.
   */
  constructor(path: string) {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 })
    } catch (error) {
      throw new StoreError(`The data folder ${path} cannot be used: ${reasonOf(error)}.`)
    }
    this.path = realpathSync(path)
    this.temp = join(this.path, 'temp')
    this.insertIds = join(this.path, 'insert-ids')
    this.logs = join(this.path, 'accept-log')
    this.#manifest = join(this.path, 'store.json')
    if (claimed.has(this.path)) {
      throw new StoreError(
        `The data folder ${path} is in use by another waymark-server; stop it, or choose another folder by --data.`,
      )
    }
    claimed.add(this.path)
  }

  release(): void {
    claimed.delete(this.path)
  }

  catalogFile(catalog: string): string {
    return join(this.path, `${catalog}.duckdb`)
  }

  /** Refuses a folder that has lost a file: opening it would make an empty one in its place. */
  check(): void {
    const manifest = this.#read()
    if (manifest === undefined) return
    const files = [
      ...manifest.catalogs.map((catalog) => this.catalogFile(catalog)),
      join(this.logs, 'data.mdb'),
    ]
    const lost = files.find((file) => !existsSync(file))
    if (lost !== undefined) throw damaged(`${lost} is missing`)
  }

  /** Writes down what the folder holds, once it holds it. */
  record(catalogs: readonly string[]): void {
    const known = this.#read()?.catalogs ?? []
    const all = [...new Set([...known, ...catalogs])]
    if (all.length === known.length) return
    const manifest: Manifest = { format: 1, catalogs: all }
    writeFileSync(`${this.#manifest}.new`, JSON.stringify(manifest), { flush: true })
    renameSync(`${this.#manifest}.new`, this.#manifest)
  }

  #read(): Manifest | undefined {
    if (!existsSync(this.#manifest)) return undefined
    try {
      const manifest = JSON.parse(readFileSync(this.#manifest, 'utf8')) as Partial<Manifest>
      if (manifest.format !== 1 || !Array.isArray(manifest.catalogs)) throw new Error('unknown format')
      return manifest as Manifest
    } catch (error) {
      throw damaged(`${this.#manifest} cannot be read (${reasonOf(error)})`)
    }
  }
}
