import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../Logger.js'
import type { InTurn } from '../store/createTurns.js'
import type { Database } from '../store/Database.js'
import { makeAllEvents } from './allEvents.js'
import { type ArchiveFolder, readArchivedFiles } from './ArchivedFile.js'

export interface MissingFilesOptions {
  archive: ArchiveFolder
  database: Database
  /** Whose turn it is to write to analytics. */
  inTurn: InTurn
  logger: Logger
}

const everyMs = 5000

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/**
 * Looks every few seconds whether the files of the archive are there, so that a missing one fails only
 * the questions that need it, and counts again when it is back.
 */
export class MissingFiles {
  readonly #options: MissingFilesOptions
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #missing = ''

  constructor(options: MissingFilesOptions) {
    this.#options = options
  }

  start(): void {
    this.#lookOnce()
    this.#timer = setInterval(() => this.#lookOnce(), everyMs)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  #lookOnce(): void {
    this.#looking ??= this.#look()
      .catch((error: unknown) => {
        this.#options.logger.error('The files of the archive could not be looked for.', {
          reason: String(error),
        })
      })
      .finally(() => (this.#looking = undefined))
  }

  async #look(): Promise<void> {
    const { archive, database, inTurn, logger } = this.#options
    await database.use(async (connection) => {
      const missing: string[] = []
      for (const { file } of await readArchivedFiles(connection)) {
        if (!(await isThere(join(archive.path, file)))) missing.push(file)
      }
      const names = missing.join('\n')
      if (names === this.#missing) return
      await inTurn(() => makeAllEvents(connection, archive))
      this.#missing = names
      if (missing.length === 0) logger.info('All files of the archive are there again.', {})
      else {
        logger.error('Files of the archive are missing; questions that need them fail.', {
          missing: missing.length,
          first: missing[0],
        })
      }
    })
  }
}
