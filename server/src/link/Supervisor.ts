import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Logger } from '../Logger.js'
import { Watchdog, Recurring } from '../Watchdog.js'
import type { EndOf } from './EngineLink.js'
import { memorySignal } from './ownLimits.js'

interface SupervisorOptions {
  /** The program of the engine. */
  program: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  logger: Logger
  /** The engine ended, or could not be started, for a reason that it gave. */
  onFailed?(reason: string): void
  /**
   * The engine has ended, and as far as anybody knows for this reason. Returns whether it worked on statements: then
   * it ends so again only if they are asked again.
   */
  onEnded?(reason: string, how: EndOf): boolean
  /** An engine that is being started is ended after this long without a message. */
  silentMs?: number
}

/** What the engine sends to its parent process. */
export type EngineWord =
  /** The engine is still being started; it says so every `sayStartingMs`. */
  | { kind: 'starting' }
  | { kind: 'ready' }
  /** The engine ends because it cannot go on. */
  | { kind: 'fatal'; reason: string; isByStatement?: boolean }
  /** The engine ends in order to be started again. */
  | { kind: 'restart' }

/** What the engine hears from its parent process: it has loaded what it needs, and shall open the store now. */
export type ParentWord = { kind: 'begin' }

/** How the first start went. */
type FirstStart = { kind: 'ready' } | { kind: 'fatal'; reason: string } | { kind: 'slow' }

/** Twelve times `sayStartingMs`, because a busy machine takes long to load DuckDB. */
const usualSilentMs = 60_000
/** How often an engine that is being started says so. */
export const sayStartingMs = 5000
const firstRetryMs = 100
const longestRetryMs = 10_000
/** An engine that ran for this long has started well, so the rest before the next start is short again. */
const settledMs = 10_000
const firstStartMs = 10_000
const stopMs = 10_000
/** A spare process takes half a second of a processor, which those who waited for the engine need first. */
const spareAfterMs = 1000
/** It holds some 50 MiB, so it is kept only while engines end. */
const spareForMs = 600_000
/** Signals of a process that did something wrong itself. */
const crashes: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE'])

/** What an exit tells that the engine could not tell itself. */
const reasonOfExit = (code: number | null, signal: NodeJS.Signals | null): string => {
  if (signal === memorySignal) return 'It held more memory than --engine-memory allows.'
  if (signal === 'SIGKILL') return 'The system ended it, as it does when memory is short.'
  return signal === null ? `Its process ended with the code ${code}.` : `It crashed (${signal}).`
}

/**
 * Keeps one engine process running: starts it again when it ends. The rest before a start doubles while engines end
 * soon after their start. After an end there is a spare process for some time, which has loaded all that an engine
 * needs: that is half of what a start takes.
 *
 *   (spare) → starting → running → (ended) resting → starting
 *   any of them → stopping
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  #child: ChildProcess | undefined
  #isStopping = false
  #restMs = firstRetryMs
  #rest: NodeJS.Timeout | undefined
  #wasReady = false
  /** Whether an engine has ended that was not asked to. */
  #hasEnded = false
  #spare: ChildProcess | undefined
  #spareTimer: NodeJS.Timeout | undefined
  /** Why this process ends the engine by force. */
  #killedFor: string | undefined
  readonly #ends = new Recurring()

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Starts the engine. If the first engine ends with a reason, it is not started again: the store must be mended first. */
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

  /** Ends an engine that does not answer; another one is started. */
  kill(reason: string): void {
    this.#options.logger.error('The engine is ended.', { reason, pid: this.#child?.pid })
    this.#killedFor = reason
    this.#child?.kill('SIGKILL')
  }

  /** Asks the engine to end, and ends it by force after `stopMs`. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#rest)
    clearTimeout(this.#spareTimer)
    this.#spare?.kill('SIGKILL')
    const child = this.#child
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const patience = setTimeout(() => child.kill('SIGKILL'), stopMs)
    await ended
    clearTimeout(patience)
  }

  #fork(): ChildProcess {
    const { program, args, env, logger } = this.#options
    const child = fork(program, args, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    child.once('error', (error) => logger.error('The engine cannot be started.', { reason: error.message }))
    return child
  }

  #keepSpare(): void {
    this.#spareTimer = setTimeout(() => {
      const spare = this.#fork()
      this.#spare = spare
      const forget = () => {
        if (this.#spare === spare) this.#spare = undefined
      }
      spare.once('exit', forget)
      this.#spareTimer = setTimeout(() => {
        forget()
        spare.kill('SIGKILL')
      }, spareForMs)
    }, spareAfterMs)
  }

  #spawn(tellFirst: (word: Extract<EngineWord, { kind: 'ready' | 'fatal' }>) => void): void {
    const { logger, onFailed, onEnded, silentMs = usualSilentMs } = this.#options
    const beganMs = performance.now()
    clearTimeout(this.#spareTimer)
    const child = this.#spare ?? this.#fork()
    this.#spare = undefined
    this.#child = child
    // A message that cannot be sent is followed by the end of the process.
    child.send({ kind: 'begin' } satisfies ParentWord, () => undefined)
    let reason: string | undefined
    let isPlanned = false
    let isByStatement = false
    this.#killedFor = undefined
    const silence = new Watchdog(silentMs, () =>
      this.kill(`The engine was being started, and said nothing for ${silentMs / 1000} seconds.`),
    )
    silence.heard()
    child.on('message', (word: EngineWord) => {
      if (word.kind === 'starting') {
        silence.heard()
        return
      }
      silence.stop()
      if (word.kind === 'restart') {
        isPlanned = true
        return
      }
      if (word.kind === 'ready') {
        if (this.#wasReady) logger.info('The engine runs again.', { pid: child.pid })
        if (this.#hasEnded) this.#keepSpare()
        this.#wasReady = true
      } else {
        reason = word.reason
        isByStatement = word.isByStatement === true
      }
      tellFirst(word)
    })
    child.once('exit', (code, signal) => {
      this.#child = undefined
      silence.stop()
      if (this.#isStopping || (reason !== undefined && !this.#wasReady)) return
      if (isPlanned) {
        this.#spawn(tellFirst)
        return
      }
      this.#hasEnded = true
      if (reason !== undefined) onFailed?.(reason)
      const isCrash = signal === null ? code !== 0 : crashes.has(signal)
      const how = signal === memorySignal ? 'memory' : isCrash ? 'crash' : 'unknown'
      isByStatement =
        onEnded?.(reason ?? this.#killedFor ?? reasonOfExit(code, signal), how) === true || isByStatement
      const afterMs = Math.round(performance.now() - beganMs)
      // A statement that ends the engine does so again and again only if it is asked again and again.
      if (afterMs > settledMs || isByStatement) this.#restMs = firstRetryMs
      // On a full disk the engine ends again and again, so the same reason is logged less and less often.
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
