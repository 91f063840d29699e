import { existsSync, readFileSync, rmSync } from 'node:fs'
import { damaged, reasonOf } from '../OperatorError.js'
import type { ErasureRequest, LoggedRequest } from '../payloads/erasure.js'
import { writeWhole } from '../disk/writeWhole.js'

/** An erasure that is not finished. It holds the id that was asked for, so it is deleted once the person is erased. */
export interface Erasure extends ErasureRequest {
  /** The newest row that had been accepted when the erasure was asked for. */
  through: number
  /** How often the erasure was begun. */
  tries: number
  /** Only of an erasure that came by a log in PostgreSQL. Its `id` is empty, because nobody knows it. */
  logged?: Logged
}

export interface Logged {
  key: string
  /** The keys of all ids of the person, where another process has found them. */
  keys: readonly string[]
  /** The last row of the erase in the log. A store that has this row has erased the person, or does not know them. */
  last: number
  /** What the log must be cleaned of, once it is found in the store. */
  found?: { ids: string[]; rejected: number[] } | undefined
  /** With an archive that all stores share: what the erase has made of its files (`TakeOver`). */
  lake?: unknown
}

/** An engine that crashes each time it erases must be able to start in the end. */
export const maxTries = 5

/** The erasures that are not finished. They are on disk before any of them begins, so that the next start goes on with them. */
export class ErasureList {
  readonly #file: string
  #all: Erasure[]

  constructor(file: string) {
    this.#file = file
    rmSync(`${file}.new`, { force: true })
    this.#all = existsSync(file) ? this.#read() : []
  }

  get all(): readonly Erasure[] {
    return this.#all
  }

  add(requests: readonly ErasureRequest[], through: number): void {
    this.#save([...this.#all, ...requests.map((each) => ({ ...each, through, tries: 0 }))])
  }

  /** Puts down erasures that came by a log in PostgreSQL; of one that is on the list, `keys` may be news. */
  hold(
    requests: readonly LoggedRequest[],
    more: { through: number; last: number; keys: Map<string, string[]> },
  ): void {
    const { through, last, keys } = more
    const known = new Map(this.#all.map((each) => [each.task, each]))
    const held = requests.map(({ key, ...request }): Erasure => {
      const logged = { key, keys: keys.get(request.task) ?? [], last }
      return { ...request, id: '', through, tries: known.get(request.task)?.tries ?? 0, logged }
    })
    const tasks = new Set(held.map(({ task }) => task))
    this.#save([...this.#all.filter(({ task }) => !tasks.has(task)), ...held])
  }

  /** Notes what the log must be cleaned of, before it is erased from the store. */
  note(found: ReadonlyMap<string, NonNullable<Logged['found']>>): void {
    this.#note(found, (task) => ({ found: found.get(task) }))
  }

  /** Forgets the ids of persons of whom the log is cleaned. */
  forgetIds(tasks: ReadonlySet<string>): void {
    this.#note(tasks, () => ({ found: undefined }))
  }

  /** Notes what some erases have made of the files that all stores share. */
  noteLake(tasks: ReadonlySet<string>, lake: unknown): void {
    this.#note(tasks, () => ({ lake }))
  }

  forgetTries(tasks: ReadonlySet<string>): void {
    this.#change(tasks, (each) => ({ ...each, tries: 0 }))
  }

  countTry(tasks: ReadonlySet<string>): void {
    this.#change(tasks, (each) => ({ ...each, tries: each.tries + 1 }))
  }

  drop(tasks: ReadonlySet<string>): void {
    this.#save(this.#all.filter(({ task }) => !tasks.has(task)))
  }

  #change(tasks: { has(task: string): boolean }, change: (each: Erasure) => Erasure): void {
    this.#save(this.#all.map((each) => (tasks.has(each.task) ? change(each) : each)))
  }

  #note(tasks: { has(task: string): boolean }, news: (task: string) => Partial<Logged>): void {
    this.#change(tasks, ({ logged, ...each }) =>
      logged === undefined ? each : { ...each, logged: { ...logged, ...news(each.task) } },
    )
  }

  #read(): Erasure[] {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8')) as Erasure[]
    } catch (error) {
      const reason = reasonOf(error)
      throw damaged(`${this.#file} cannot be read (${reason})`, 'the file')
    }
  }

  #save(all: Erasure[]): void {
    if (all.length === 0) rmSync(this.#file, { force: true })
    else writeWhole(this.#file, JSON.stringify(all))
    // Only now: what could not be written is tried again.
    this.#all = all
  }
}
