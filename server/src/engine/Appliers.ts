import type { OpenApplier } from '../append/openIntakes.js'
import type { HeldCatalog } from '../care/careRoutes.js'
import type { Cleanups } from '../Cleanups.js'
import type { LogNews } from '../link/IngestLink.js'
import { type Database, type Watch, watchDatabase } from '../duckdb/Database.js'
import type { DataFolder } from '../disk/DataFolder.js'
import { quoteIdentifier } from '../duckdb/quote.js'
import { CatalogApplier, type CatalogApplierOptions } from '../wal/CatalogApplier.js'

interface AppliersOptions extends Pick<
  CatalogApplierOptions,
  'database' | 'logger' | 'memoryBytes' | 'alone' | 'among'
> {
  database: Database
  folder: DataFolder
  news: LogNews
  cleanups: Cleanups
  /** The engine can store nothing more, and why. */
  onLost(reason: string): void
}

/** How many tries for which queries made room (some fifteen seconds) come before the engine is started anew. */
const starvedTries = 12

/** The appliers of all catalogs: each moves one log into DuckDB, and the ingest process hears how far it is. */
export class Appliers {
  /** The catalogs that are open. */
  readonly held: HeldCatalog[] = []
  readonly #options: AppliersOptions
  #watch: Watch | undefined

  constructor(options: AppliersOptions) {
    this.#options = options
  }

  readonly open: OpenApplier = async (number, more, tell) => {
    const { database, logger, memoryBytes, alone, among, folder, news, cleanups, onLost } = this.#options
    const opened: CatalogApplier = await CatalogApplier.open({
      ...more,
      database,
      logger,
      memoryBytes,
      alone,
      among,
      attemptFile: folder.attemptFile(more.catalog),
      onStarved(failures) {
        if (failures >= starvedTries) onLost('There is no memory left to store accepted requests.')
      },
      onApplied(through, tookMs) {
        tell.onApplied(through, tookMs)
        news.advance(number, through, tookMs)
      },
      onSetAside(letter) {
        tell.onSetAside(opened.deadLetters.get(letter.request)!)
        news.setAside(number, letter)
      },
      onStoring: (failing) => {
        news.storing(number, failing)
        if (failing !== undefined) this.#watch?.look()
      },
    })
    cleanups.add(() => opened.close())
    news.begin(number, { applied: opened.applier.applied, letters: opened.deadLetters })
    this.held.push(more)
    return opened
  }

  /** From now on asks DuckDB every second whether it has given up one of the catalogs that are open. */
  async watch(): Promise<void> {
    const { database, cleanups, onLost } = this.#options
    const tables = this.held.map(({ catalog, schema }) => `${quoteIdentifier(catalog)}.${schema}.position`)
    const watch = await watchDatabase(database, tables, onLost)
    this.#watch = watch
    cleanups.add(() => watch.stop())
  }
}
