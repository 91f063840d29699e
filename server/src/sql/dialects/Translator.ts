import { fileURLToPath } from 'node:url'
import { type HttpError, shorten } from '../../http/HttpError.js'
import type { Over, Limits } from '../../link/ownLimits.js'
import { ProcessEnded, SideProcess } from '../../link/SideProcess.js'
import { ConcurrencyLimit } from '../../duckdb/ConcurrencyLimit.js'
import { refuseStatement, refuseField } from '../refuse.js'
import { quoteLine } from '../text/edits.js'
import { type Dialect, titleOf, dialectNames, isDialect } from './dialects.js'

/** What the process that translates is told. */
export interface ToTranslate extends Limits {
  statement: string
  dialect: Dialect
}

/** What a statement becomes in DuckDB's SQL, or why it cannot be read and where. Lines and columns count from 1. */
export type Translation = { statement: string } | { problem: string; line: number; column: number }

/** What it answers. */
export type FromTranslator =
  | { kind: 'translated'; translation: Translation }
  /** The transpiler broke. Its memory may be in any state, so the process must end. */
  | { kind: 'broken' }

const otherNames: Readonly<Record<string, Dialect>> = { postgres: 'postgresql' }

/** The dialect that a request names; undefined for DuckDB's own. Throws for one that is not known. */
export const readDialect = (given: string | null | undefined): Dialect | undefined => {
  const name = given?.toLowerCase() ?? 'duckdb'
  if (name === 'duckdb') return undefined
  const found = Object.hasOwn(otherNames, name) ? otherNames[name]! : name
  if (isDialect(found)) return found
  const known = ['duckdb', ...dialectNames].join(', ')
  throw refuseField(`The dialect ${shorten(given!, 40)} is not known. There are: ${known}.`)
}

type Problem = Extract<Translation, { problem: string }>

const inOwnWords = (problem: string): string =>
  problem
    .replace(/^.*? error at line \d+, column \d+: /, '')
    .replace(
      /^E_GUARD_(\w+)_EXCEEDED: value (\d+) exceeds configured limit (\d+)$/,
      (_, what: string, found: string, most: string) =>
        `its ${what.toLowerCase().replaceAll('_', ' ')} is ${found}, and ${most} is the most`,
    )

/** Says what is wrong with a statement, and where, in the words of the reader of its dialect. */
export const describeProblem = (statement: string, dialect: string, problem: Problem): string => {
  const place = problem.line > 0 ? `, line ${problem.line}, column ${problem.column}` : ''
  return `The statement cannot be read as ${dialect}${place}: ${inOwnWords(problem.problem)}. So it was not translated, and not run.${quoteLine(statement, problem)}`
}

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
/** The transpiler's time grows faster than the statement. */
const maxStatement = 262_144
const maxWaiting = 100

/** From `src`, too, this names what was compiled: Node runs no TypeScript. */
const program = fileURLToPath(new URL('../../../dist/sql/dialects/translateProcess.js', import.meta.url))

/** Why a process that translates has ended. */
const whyEnded = (limit: Over['limit'] | undefined, { dialect }: ToTranslate): HttpError => {
  if (limit === 'time')
    return refuseStatement(`Translating the statement from ${titleOf(dialect)} took too long.`)
  if (limit === 'memory')
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
  #process: SideProcess<ToTranslate, FromTranslator> | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(limits: Partial<TranslatorLimits> = {}) {
    this.#limits = { ...usualLimits, ...limits }
  }

  /** The id of the process that translates, while there is one. */
  get pid(): number | undefined {
    return this.#process?.hasEnded === false ? this.#process.pid : undefined
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
    this.#process?.kill()
    this.#process = undefined
  }

  async #ask(asked: ToTranslate): Promise<Translation> {
    clearTimeout(this.#idle)
    if (this.#process?.hasEnded !== false) this.#process = new SideProcess(program)
    const answer = await this.#process.ask(asked).catch((error: unknown) => {
      throw error instanceof ProcessEnded ? whyEnded(error.limit, asked) : error
    })
    if (answer.kind === 'broken') {
      this.close()
      throw whyEnded(undefined, asked)
    }
    this.#idle = setTimeout(() => this.close(), this.#limits.idleMs)
    this.#idle.unref()
    return answer.translation
  }
}
