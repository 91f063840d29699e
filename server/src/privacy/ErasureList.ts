import { existsSync, readFileSync, rmSync } from 'node:fs'
import { damaged } from '../OperatorError.js'
import type { ErasureRequest } from './erasure.js'
import { reasonOf } from '../reasonOf.js'
import { writeWhole } from '../store/writeWhole.js'

/** An erasure that is not finished. It holds the id that was asked for, so it is deleted once the person is erased. */
export interface Erasure extends ErasureRequest {
  /** The newest row that had been accepted when the erasure was asked for. */
  through: number
  /** How often the erasure was begun. */
  tries: number
}

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

  countTry(tasks: ReadonlySet<string>): void {
    this.#save(this.#all.map((each) => (tasks.has(each.task) ? { ...each, tries: each.tries + 1 } : each)))
  }

  drop(tasks: ReadonlySet<string>): void {
    this.#save(this.#all.filter(({ task }) => !tasks.has(task)))
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
    this.#all = all
    if (all.length === 0) {
      rmSync(this.#file, { force: true })
      return
    }
    writeWhole(this.#file, JSON.stringify(all))
  }
}
