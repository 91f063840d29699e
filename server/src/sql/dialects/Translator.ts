import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { HttpError } from '../../http/HttpError.js'
import { ConcurrencyLimit } from '../../store/ConcurrencyLimit.js'
import { refuseStatement } from '../refuse.js'
import { describeProblem } from './describeProblem.js'
import { type Dialect, titleOf } from './readDialect.js'
import {
  type FromTranslator,
  tooLargeCode,
  tooLongCode,
  type ToTranslate,
  type Translation,
} from './translation.js'

export interface Translating {
  user: string
  statement: string
  dialect: Dialect
  /** Aborted, nobody waits for the translation any more. */
  signal: AbortSignal
}

/** Resolves with the statement in DuckDB's SQL, or rejects with an HttpError that says why there is none. */
export type Translate = (translating: Translating) => Promise<string>

export interface TranslatorLimits {
  /** After so long without a statement the process ends. */
  idleMs: number
  /** How long a statement may take, once the transpiler is loaded. */
  longestMs: number
  /** How much memory the process may have while it translates. */
  mostBytes: number
}

/**
 * On a slow machine a statement of 140,000 characters with 20,000 terms took 2.5 s. The process has 125 MB once it has
 * read a statement.
 */
const usualLimits = { idleMs: 300_000, longestMs: 5000, mostBytes: 512 * 1_048_576 }
/** Loading takes half a second, and much longer on a busy machine. */
const loadWithinMs = 30_000
/** The transpiler's time grows faster than the statement. */
const maxStatement = 262_144
const maxWaiting = 100

/** From `src`, too, this names what was compiled: Node runs no TypeScript. */
const program = fileURLToPath(new URL('../../../dist/sql/dialects/translateProcess.js', import.meta.url))

/** Why a process that translates has ended. */
const whyEnded = (code: number | null, { dialect }: ToTranslate): HttpError => {
  if (code === tooLongCode)
    return refuseStatement(`Translating the statement from ${titleOf(dialect)} took too long.`)
  if (code === tooLargeCode)
    return refuseStatement(`Translating the statement from ${titleOf(dialect)} took too much memory.`)
  return refuseStatement(
    `The statement could not be translated from ${titleOf(dialect)}: the translator ended.`,
  )
}

/** Resolves as the work does, and rejects when nobody waits for it any more. */
const beforeAbort = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason as Error)
    signal.addEventListener('abort', leave)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })

/**
 * Translates statements to DuckDB's SQL, one at a time and in turn by user, in a process that is started when it is first asked and ended
 * after idling.
 *
 *   none → loading → ready ⇄ translating
 *   any of them → none (idle for long, ended by a statement, closed)
 */
export class Translator {
  readonly #limits: TranslatorLimits
  readonly #oneAtATime = new ConcurrencyLimit({ permits: 1, maxWaiting })
  #child: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(limits: Partial<TranslatorLimits> = {}) {
    this.#limits = { ...usualLimits, ...limits }
  }

  /** The id of the process that translates, while there is one. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  translate: Translate = async ({ user, statement, dialect, signal }) => {
    if (statement.length > maxStatement) {
      throw refuseStatement(
        `A statement that is to be translated has at most ${maxStatement} characters, and this one has ${statement.length}: write it in DuckDB's SQL.`,
      )
    }
    const permit = await this.#oneAtATime.acquire({ user, signal })
    // The next one waits until the process has answered, also when nobody waits for the answer any more.
    const translated = this.#ask({ statement, dialect, ...this.#limits }).finally(() => permit.release())
    const translation = await beforeAbort(translated, signal)
    if ('problem' in translation)
      throw refuseStatement(describeProblem(statement, titleOf(dialect), translation))
    return translation.statement
  }

  close(): void {
    clearTimeout(this.#idle)
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }

  async #ask(asked: ToTranslate): Promise<Translation> {
    clearTimeout(this.#idle)
    const child = this.#child ?? (await this.#start(asked))
    child.send(asked)
    const answer = await this.#hear(child, asked)
    if (answer.kind !== 'translated') throw whyEnded(null, asked)
    this.#idle = setTimeout(() => this.close(), this.#limits.idleMs)
    this.#idle.unref()
    return answer.translation
  }

  async #start(asked: ToTranslate): Promise<ChildProcess> {
    // It needs nothing of the environment, in which there may be passwords.
    const child = fork(program, { env: {}, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    this.#child = child
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    const late = setTimeout(() => child.kill('SIGKILL'), loadWithinMs)
    try {
      await this.#hear(child, asked)
    } finally {
      clearTimeout(late)
    }
    return child
  }

  /** The next message of the process. Rejects when the process ends before. */
  async #hear(child: ChildProcess, asked: ToTranslate): Promise<FromTranslator> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        child.off('message', take).off('exit', end).off('error', fail)
      }
      const take = (message: FromTranslator) => {
        settle()
        if (message.kind === 'broken') this.close()
        resolve(message)
      }
      const end = (code: number | null) => {
        settle()
        reject(whyEnded(code, asked))
      }
      const fail = (error: Error) => {
        settle()
        reject(error)
      }
      child.on('message', take).on('exit', end).on('error', fail)
    })
  }
}
