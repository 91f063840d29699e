import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Logger } from '../Logger.js'
import { Recurring } from '../Recurring.js'

export interface SupervisorOptions {
  /** The program, and what is said to it on its command line. */
  program: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  logger: Logger
  /** The engine ended, or could not be started, for a reason that it gave. */
  onFailed?(reason: string): void
  /** After so long without a word an engine that is being started is ended. */
  silentMs?: number
}

/** What the engine says over the channel to its parent. */
export type EngineWord =
  /** It is still being started: said again and again. */
  | { kind: 'starting' }
  | { kind: 'ready' }
  /** It ends because it cannot go on. */
  | { kind: 'fatal'; reason: string }
  /** It ends in order to be started again. */
  | { kind: 'restart' }

/** How the first start went. */
export type FirstStart = { kind: 'ready' } | { kind: 'fatal'; reason: string } | { kind: 'slow' }

/** Less often than `sayStartingMs` many times over: a busy machine takes long to load DuckDB. */
const usualSilentMs = 60_000
/** How often an engine that is being started says so. */
export const sayStartingMs = 5000
const firstRetryMs = 100
const longestRetryMs = 10_000
/** One that ran for so long was no failed start. */
const settledMs = 10_000
const firstStartMs = 10_000
const stopMs = 10_000

/**
 * Keeps one engine process running: starts it again when it ends, after a rest that doubles while it
 * ends soon.
 *
 *   starting → running → (ended) resting → starting
 *   any of them → stopping
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  #child: ChildProcess | undefined
  #isStopping = false
  #restMs = firstRetryMs
  #rest: NodeJS.Timeout | undefined
  #wasReady = false
  readonly #ends = new Recurring()

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Starts the engine. One that cannot start at all is not started again: the store must be mended first. */
  async start(): Promise<FirstStart> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve({ kind: 'slow' }), firstStartMs)
      timer.unref()
      this.#spawn((word) => {
        clearTimeout(timer)
        resolve(word)
      })
    })
  }

  /** Ends an engine that does not answer; it is started again like any other. */
  kill(reason: string): void {
    this.#options.logger.error('The engine is ended.', { reason, pid: this.#child?.pid })
    this.#child?.kill('SIGKILL')
  }

  /** Asks the engine to end, and sees to it that it does. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#rest)
    const child = this.#child
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const patience = setTimeout(() => child.kill('SIGKILL'), stopMs)
    await ended
    clearTimeout(patience)
  }

  #spawn(tellFirst: (word: Extract<EngineWord, { kind: 'ready' | 'fatal' }>) => void): void {
    const { program, args, env, logger, onFailed, silentMs = usualSilentMs } = this.#options
    const beganMs = Date.now()
    const child = fork(program, args, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.#child = child
    let reason: string | undefined
    let isPlanned = false
    const silence = setTimeout(
      () => this.kill(`It was being started, and said nothing for ${silentMs / 1000} seconds.`),
      silentMs,
    )
    child.on('message', (word: EngineWord) => {
      if (word.kind === 'starting') {
        silence.refresh()
        return
      }
      clearTimeout(silence)
      if (word.kind === 'restart') {
        isPlanned = true
        return
      }
      if (word.kind === 'ready') {
        if (this.#wasReady) logger.info('The engine runs again.', { pid: child.pid })
        this.#wasReady = true
      } else reason = word.reason
      tellFirst(word)
    })
    child.once('error', (error) => logger.error('The engine cannot be started.', { reason: error.message }))
    child.once('exit', (code, signal) => {
      this.#child = undefined
      clearTimeout(silence)
      if (this.#isStopping || (reason !== undefined && !this.#wasReady)) return
      if (isPlanned) {
        this.#spawn(tellFirst)
        return
      }
      if (reason !== undefined) onFailed?.(reason)
      const afterMs = Date.now() - beganMs
      if (afterMs > settledMs) this.#restMs = firstRetryMs
      // On a disk that is full it ends again and again.
      const times = reason === undefined ? 1 : this.#ends.note(reason)
      if (times !== undefined)
        logger.error('The engine ended and is started again.', {
          pid: child.pid,
          code,
          signal,
          reason,
          times,
          after_ms: afterMs,
          rest_ms: this.#restMs,
        })
      this.#rest = setTimeout(() => this.#spawn(tellFirst), this.#restMs)
      this.#restMs = Math.min(2 * this.#restMs, longestRetryMs)
    })
  }
}
