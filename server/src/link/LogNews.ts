import type { DeadLetter, RecentDeadLetters } from '../wal/RecentDeadLetters.js'
import type { Hello } from './EngineLink.js'
import type { ToIngest } from './messages.js'

/** What is known of one log. */
interface Known {
  applied: number
  letters: RecentDeadLetters
  /** Why nothing is stored; null after a success, undefined before the first try. */
  failing?: string | null
}

/** Tells the ingest process what becomes of the logs' rows: each change at once, and the whole state when it connects. */
export class LogNews {
  readonly #logs = new Map<number, Known>()
  readonly #tell: (message: ToIngest) => void

  constructor(tell: (message: ToIngest) => void) {
    this.#tell = tell
  }

  begin(log: number, known: Known): void {
    this.#logs.set(log, known)
  }

  advance(log: number, through: number, tookMs: number): void {
    this.#logs.get(log)!.applied = through
    this.#tell({ kind: 'applied', log, through, tookMs })
  }

  setAside(log: number, letter: DeadLetter): void {
    this.#tell({ kind: 'setAside', log, letter })
  }

  storing(log: number, failing: string | undefined): void {
    this.#logs.get(log)!.failing = failing ?? null
    this.#tell({ kind: 'storing', log, failing: failing ?? null })
  }

  get all(): Pick<Hello, 'applied' | 'setAside' | 'storing'> {
    const logs = [...this.#logs]
    return {
      applied: logs.map(([log, { applied }]) => [log, applied]),
      setAside: logs.map(([log, { letters }]) => [log, letters.all()]),
      storing: logs.flatMap(([log, { failing }]) => (failing === undefined ? [] : [[log, failing] as const])),
    }
  }
}
