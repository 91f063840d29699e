import { useRef, useState } from 'preact/hooks'
import { type Problem, toProblem } from '../../data/Problem'
import { type Answer, ask, cancelQuery, newUuid } from '../../data/query'
import { expireLogin } from '../../data/login'

/** So many rows are asked for and shown. */
export const mostRows = 5000

export interface Run {
  /** The query's id. */
  id: string
  statement: string
  dialect?: string | undefined
  isRunning: boolean
  since: number
  /** While it runs, the rows that are there. */
  answer?: Answer
  problem?: Problem
  tookMs?: number
  /** There are more rows than are shown. */
  hasMore?: boolean
  /** How many there are in all, once they are counted. */
  total?: number
}

interface Running {
  run: Run | undefined
  /** `mustRead`: a statement that came by a link may read, nothing else. */
  start: (statement: string, options?: { mustRead?: boolean; dialect?: string | undefined }) => Promise<void>
  cancel: () => void
}

/** The statement as a table of another one, for counting its rows. */
export const countStatement = (statement: string): string =>
  `SELECT count(*) FROM (\n${statement.replace(/[;\s]+$/, '')}\n)`

const cut = (answer: Answer): Pick<Run, 'answer' | 'hasMore'> =>
  answer.rows.length > mostRows
    ? { answer: { ...answer, rows: answer.rows.slice(0, mostRows) }, hasMore: true }
    : { answer }

/** Runs statements in one session, one at a time; another one ends the one before. */
export function useRun(sessionId: string): Running {
  const [run, setRun] = useState<Run>()
  const end = useRef<() => void>(() => {})

  const start: Running['start'] = async (statement, { mustRead = false, dialect } = {}) => {
    end.current()
    const controller = new AbortController()
    const { signal } = controller
    const id = newUuid()
    end.current = () => {
      controller.abort()
      void cancelQuery(id, sessionId)
    }
    const since = Date.now()
    const show = (change: Partial<Run>) =>
      setRun((before) => (before?.id === id ? { ...before, ...change } : before))
    setRun({ id, statement, dialect, isRunning: true, since })
    try {
      const answer = await ask(statement, {
        signal,
        queryId: id,
        sessionId,
        mustRead,
        dialect,
        limit: mostRows + 1,
        onRows: (some) => show({ answer: some }),
      })
      end.current = () => controller.abort()
      const { hasMore = false, ...shown } = cut(answer)
      show({ ...shown, hasMore, isRunning: false, tookMs: Date.now() - since })
      if (!hasMore) return
      const counted = await ask(countStatement(answer.statement), {
        signal,
        sessionId,
        mustRead: true,
      }).catch(() => undefined)
      const total = counted?.rows[0]?.[0]
      if (typeof total === 'number') show({ total })
    } catch (error) {
      const problem = toProblem(error, signal)
      if (problem.kind === 'login') expireLogin()
      // What was cancelled keeps the rows that came.
      show({ problem, isRunning: false, tookMs: Date.now() - since })
    }
  }
  return { run, start, cancel: () => end.current() }
}
