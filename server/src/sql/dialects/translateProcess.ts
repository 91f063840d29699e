import { setFlagsFromString } from 'node:v8'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { endWithParent, limitSelf } from '../../link/ownLimits.js'
import { mendSource, type SourceToken, mendTranslation, writeMeanings } from './mendSource.js'
import type { Dialect } from './dialects.js'
import type { FromTranslator, ToTranslate, Translation } from './Translator.js'

/**
 * The process that translates statements. The transpiler is WebAssembly, whose memory no limit of a worker's binds,
 * and a statement can keep it busy for ever. So it works in a thread, and this process's main thread ends the process
 * when a statement takes too long or too much. What the process has taken, the system then has back.
 *
 *   loading (of the transpiler) → idle ⇄ translating
 *   translating → the process ends by its limits
 */
const watch = (): void => {
  endWithParent()
  // Code that is compiled quickly runs fast enough: the first statement takes a fifth of the time, and the process half
  // of the memory.
  setFlagsFromString('--liftoff-only')
  const thread = new Worker(new URL(import.meta.url))
  thread.once('error', () => process.exit(1)).once('exit', () => process.exit(1))
  let endLimits = (): void => undefined
  thread.on('message', (message: FromTranslator | 'ready') => {
    endLimits()
    process.send?.(message)
  })
  process.on('message', (message: ToTranslate) => {
    endLimits = limitSelf(message)
    thread.postMessage(message)
  })
}

const placeOf = (statement: string, start: number) => {
  const lines = [...statement].slice(0, start).join('').split('\n')
  return { line: lines.length, column: [...lines.at(-1)!].length + 1 }
}

const translateAll = async (): Promise<void> => {
  const { tokenize, transpile } = await import('@polyglot-sql/sdk')
  const read = (statement: string, dialect: Dialect): Translation | undefined => {
    const { success, sql, error, errorLine, errorColumn, errorStart } = transpile(
      statement,
      dialect as never,
      'duckdb' as never,
    )
    // The guard refuses several statements, and none, as it does without a dialect.
    if (success && sql) {
      const written = writeMeanings(mendTranslation(sql.join(';\n')), dialect)
      if (typeof written === 'string') return { statement: written }
      return { ...written, line: 0, column: 0 }
    }
    if (errorLine === undefined) return undefined
    const problem = error ?? ''
    // Its line and column are those behind what it did not expect.
    return errorStart && !problem.includes('end of input')
      ? { problem, ...placeOf(statement, errorStart) }
      : { problem, line: errorLine, column: errorColumn ?? 0 }
  }
  /** ClickHouse's reader skips what it does not know at the end, but not within brackets. */
  const findLost = (statement: string, tokens: readonly SourceToken[]): Translation | undefined => {
    const problem = 'only SELECT and WITH are translated'
    if (!/^(select|with)$/i.test(tokens[0]?.text ?? '')) return { problem, line: 1, column: 1 }
    const ended = tokens.filter(({ token_type: type }) => type !== 'SEMICOLON').at(-1)
    const whole = [...statement].slice(0, ended?.span.end).join('')
    const found = read(`SELECT * FROM (\n${whole}\n)`, 'clickhouse')
    return found !== undefined && 'problem' in found ? { ...found, line: found.line - 1 } : undefined
  }
  const translate = ({ statement, dialect }: ToTranslate): Translation | undefined => {
    const asWritten = read(statement, dialect)
    if (asWritten === undefined || 'problem' in asWritten) return asWritten
    // The package's types call the field `tokenType`.
    const tokens = (tokenize(statement, dialect as never).tokens ?? []) as unknown as SourceToken[]
    const mended = mendSource(tokens, dialect)
    if (!Array.isArray(mended)) return mended
    const lost = dialect === 'clickhouse' ? findLost(statement, tokens) : undefined
    if (lost !== undefined) return lost
    if (mended.length === 0) return asWritten
    // The transpiler counts characters, so the edits are made in a list of these.
    const characters = [...statement]
    const lastFirst = mended.toSorted((a, b) => b.start - a.start)
    for (const { start, end, text } of lastFirst) characters.splice(start, end - start, text)
    return read(characters.join(''), dialect)
  }
  const answer = (asked: ToTranslate): FromTranslator => {
    const translation = translate(asked)
    return translation === undefined ? { kind: 'broken' } : { kind: 'translated', translation }
  }
  parentPort!.on('message', (message: ToTranslate) => parentPort!.postMessage(answer(message)))
  parentPort!.postMessage('ready')
}

if (isMainThread) watch()
else await translateAll()
