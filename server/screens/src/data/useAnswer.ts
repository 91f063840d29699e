import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type Ask, keyOf } from './asks'
import { useStore } from './createStore'
import { type Problem, type ProblemKind, toProblem } from './Problem'
import { type Answer, type AskOptions, ask } from './query'
import { expireLogin, login } from './login'

export interface Asked {
  /** The newest answer; while another is asked for, the one before. One of the same question stays where the service is away. */
  answer?: Answer
  problem?: Problem
  isLoading: boolean
  /** What is shown may no longer be so. */
  isStale: boolean
  /** When the query that runs was sent. */
  since: number
  ask: () => void
  cancel: () => void
}

/** What passes without anybody's doing. */
const passing = new Set<ProblemKind>(['away', 'busy'])
const leastWaitMs = 3000
const mostWaitMs = 60_000

/** Calls `again` by itself after a problem that passes, the later the more often that was in vain, and never in a page that nobody sees. */
function useAskingAgain({ problem, isLoading }: State, again: () => void) {
  const fails = useRef(0)
  useEffect(() => {
    if (problem === undefined) {
      if (!isLoading) fails.current = 0
      return undefined
    }
    if (!passing.has(problem.kind)) return undefined
    const waitMs = Math.min(mostWaitMs, leastWaitMs * 2 ** fails.current++)
    let timer: ReturnType<typeof setTimeout>
    const wait = () => (timer = setTimeout(() => (document.hidden ? wait() : again()), waitMs))
    wait()
    return () => clearTimeout(timer)
  }, [problem, isLoading])
}

type State = Pick<Asked, 'answer' | 'problem' | 'isLoading' | 'since'>

interface Options extends Pick<AskOptions, 'limit'> {
  /** Another value asks again: `now` of the scope, which the button Reload sets. */
  askedAt?: unknown
}

/** Asks for an answer when that changes, and again on `ask` or after a new login. `undefined` asks nothing. */
export function useAnswer(asked: Ask | string | undefined, { limit, askedAt }: Options = {}): Asked {
  const [state, setState] = useState<State>({ isLoading: Boolean(asked), since: Date.now() })
  const [round, setRound] = useState(0)
  const [cancel, setCancel] = useState<() => void>(() => () => {})
  const isIn = useStore(login).state === 'in'
  const text = keyOf(asked)
  const answered = useRef<string | undefined>(undefined)

  useEffect(() => {
    if (text === undefined || !isIn) return
    const controller = new AbortController()
    const { signal } = controller
    let isCurrent = true
    const show = (change: (before: State) => State) => {
      if (isCurrent) setState(change)
    }
    show(({ answer }) => ({ ...(answer ? { answer } : {}), isLoading: true, since: Date.now() }))
    setCancel(() => () => controller.abort())
    ask(JSON.parse(text) as Ask | string, { signal, ...(limit === undefined ? {} : { limit }) }).then(
      (answer) => {
        if (isCurrent) answered.current = text
        show(({ since }) => ({ answer, isLoading: false, since }))
      },
      (error: unknown) => {
        const problem = toProblem(error, signal)
        // The login form comes, and after it the same question: see isIn above.
        if (problem.kind === 'login' && isCurrent) expireLogin()
        else
          show(({ since, answer }) => ({
            ...(answer && answered.current === text && passing.has(problem.kind) ? { answer } : {}),
            problem,
            isLoading: false,
            since,
          }))
      },
    )
    return () => {
      isCurrent = false
      controller.abort()
    }
  }, [text, limit, round, isIn, askedAt])

  const again = useCallback(() => setRound((before) => before + 1), [])
  useAskingAgain(state, again)
  const isStale = state.answer !== undefined && (state.isLoading || state.problem !== undefined)
  return { ...state, isStale, ask: again, cancel }
}
