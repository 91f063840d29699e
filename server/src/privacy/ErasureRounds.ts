import { setTimeout as delay } from 'node:timers/promises'
import { refuse, type HttpError } from '../http/HttpError.js'
import type { EngineLink } from '../link/EngineLink.js'
import type { WriteAheadLog } from '../wal/WriteAheadLog.js'
import type { ErasureOutcome, ErasureRequest, ErasureState } from './erasure.js'

export interface ErasureRoundsOptions {
  link: EngineLink
  log: Pick<WriteAheadLog, 'seal' | 'remove'>
}

interface Waiting {
  request: ErasureRequest
  resolve(outcome: ErasureOutcome): void
  reject(error: unknown): void
}

/** More are done in the next round. */
const maxRound = 100
const graceMs = 3000
/** Before a request that the engine has lost is sent again. */
const againMs = 200

const unavailable = (code: string, message: string): HttpError =>
  refuse(503, code, message, { 'retry-after': '2' })

/**
 * The ingest process's part of erases: the write-ahead log. Those that are asked for while others are
 * under way go together, because each round writes the store anew.
 */
export class ErasureRounds {
  readonly #options: ErasureRoundsOptions
  #waiting: Waiting[] = []
  #isRunning = false
  #isStopped = false
  /** Of the round at hand, by task; undefined says that the engine has lost it. */
  readonly #asked = new Map<string, (outcome: ErasureOutcome | undefined) => void>()

  constructor(options: ErasureRoundsOptions) {
    this.#options = options
    const { link } = options
    link.on('erasure', (state) => this.#learn(state))
    link.on('up', ({ erasures }) => {
      for (const state of erasures) this.#learn(state)
      // It comes before anything that is told on this connection.
      const known = new Set(erasures.map(({ task }) => task))
      for (const [task, settle] of this.#asked) if (!known.has(task)) settle(undefined)
    })
  }

  /** Resolves once nothing of the person is on disk, or with why there still is. */
  erase(request: ErasureRequest): Promise<ErasureOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      if (!this.#isRunning) void this.#run()
    })
  }

  /** What was asked of the engine goes on without anybody who waits for it. */
  stop(): void {
    this.#isStopped = true
    for (const settle of this.#asked.values()) settle(undefined)
  }

  #learn(state: ErasureState): void {
    if (state.state !== 'pending') this.#asked.get(state.task)?.(state)
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      const round = this.#waiting.splice(0, maxRound)
      await this.#runRound(round).catch((error: unknown) => {
        for (const { reject } of round) reject(error)
      })
    }
    this.#isRunning = false
  }

  async #runRound(round: readonly Waiting[]): Promise<void> {
    const { link, log } = this.#options
    if (this.#isStopped) {
      throw unavailable(
        'stopping',
        'The service is being stopped; an erase that began is finished at its next start.',
      )
    }
    if (!(await link.whenUp(graceMs))) {
      throw unavailable(
        'engine-starting',
        'The query engine is being started. Nothing was erased; send again in a moment.',
      )
    }
    const through = await log.seal()
    const outcomes = round.map(({ request }) => this.#outcomeOf(request.task))
    link.tell({ kind: 'erase', requests: round.map(({ request }) => request), through })
    const settled = await Promise.all(outcomes)
    // Only then all up to that row is surely stored.
    if (settled.some((outcome) => outcome?.state === 'done')) await log.remove(through)
    const lost = round.filter((each, at) => {
      const outcome = settled[at]
      if (outcome !== undefined) each.resolve(outcome)
      return outcome === undefined
    })
    if (lost.length === 0) return
    this.#waiting.push(...lost)
    if (!this.#isStopped) await delay(againMs)
  }

  #outcomeOf(task: string): Promise<ErasureOutcome | undefined> {
    return new Promise((resolve) => {
      this.#asked.set(task, (outcome) => {
        this.#asked.delete(task)
        resolve(outcome)
      })
    })
  }
}
