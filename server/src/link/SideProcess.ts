import { fork, type ChildProcess } from 'node:child_process'
import type { Over } from './ownLimits.js'

/** Loading takes half a second. On a very busy machine it took 30 s, so only what hangs takes this long. */
const loadWithinMs = 180_000

/** The process has ended before it answered. */
export class ProcessEnded extends Error {
  /** `limit` is the one that it went over, if it did. */
  constructor(readonly limit?: Over['limit']) {
    super('The process ended before it answered.')
  }
}

const isOver = (message: unknown): message is Over =>
  typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'over'

/**
 * A process for work that may end it: of what it has taken the system then has everything back, and nobody else's work
 * is lost. Its program sends one message when it has loaded, and then one for each that it gets. `limitSelf` ends it
 * there.
 *
 *   loading → ready ⇄ working
 *   any of them → ended (by its limits, by an error that it does not survive, killed)
 */
export class SideProcess<Question extends object, Answer> {
  readonly #child: ChildProcess
  readonly #loaded: Promise<unknown>
  #hasLoaded = false

  /** @param program the compiled program's path */
  constructor(program: string) {
    // It needs nothing of the environment, in which there may be passwords.
    this.#child = fork(program, { env: {}, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    const late = setTimeout(() => this.kill(), loadWithinMs)
    this.#loaded = this.#hear()
      .then(() => (this.#hasLoaded = true))
      .finally(() => clearTimeout(late))
    // Whoever asks gets the rejection.
    this.#loaded.catch(() => undefined)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Whether it has been ready for work. */
  get hasLoaded(): boolean {
    return this.#hasLoaded
  }

  get hasEnded(): boolean {
    return this.#child.killed || this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /** Gives the process its next work. Rejects with `ProcessEnded` when it ends before it answers. */
  async ask(question: Question): Promise<Answer> {
    await this.#loaded
    const answer = this.#hear() as Promise<Answer>
    // A message that cannot be sent is followed by the end of the process.
    this.#child.send(question, () => undefined)
    return answer
  }

  /** The next message of the process. */
  #hear(): Promise<unknown> {
    const child = this.#child
    return new Promise((resolve, reject) => {
      const settle = () => child.off('message', take).off('exit', end).off('error', fail)
      const take = (message: unknown) => {
        settle()
        if (!isOver(message)) resolve(message)
        else {
          this.kill()
          reject(new ProcessEnded(message.limit))
        }
      }
      const end = () => {
        settle()
        reject(new ProcessEnded())
      }
      const fail = (error: Error) => {
        settle()
        reject(error)
      }
      if (this.hasEnded) end()
      else child.on('message', take).on('exit', end).on('error', fail)
    })
  }
}
