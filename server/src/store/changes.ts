/** Tells whether something has changed between two moments. */
export class Changes {
  #ended = 0
  #underWay = 0

  /** How many changes have ended; undefined while one is under way, and it is not known whether DuckDB shows it. */
  get count(): number | undefined {
    return this.#underWay === 0 ? this.#ended : undefined
  }

  /** Does work that changes something. A failure counts too, because a COMMIT that fails may have done its work. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay++
    try {
      return await work()
    } finally {
      this.#underWay--
      this.#ended++
    }
  }
}

/**
 * Every change of what DuckDB has stored. They are counted for the whole process, so that no writer can be opened
 * without them: `inTransaction` counts each COMMIT.
 */
export const dataChanges = new Changes()

/** Every statement that may make, change or drop a view, a macro or a table's computed column. */
export const definitionChanges = new Changes()
