import { useCallback, useEffect, useState } from 'preact/hooks'
import { type Ask, keyOf } from './asks'
import { useStore } from './createStore'
import { type Problem, toProblem } from './Problem'
import { type Answer, type AskOptions, ask } from './query'
import { expireLogin, login } from './login'

export interface Asked {
  /** The newest answer; while another is asked for, the one before. */
  answer?: Answer
  problem?: Problem
  isLoading: boolean
  /** When the query that runs was sent. */
  since: number
  ask: () => void
  cancel: () => void
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
      (answer) => show(({ since }) => ({ answer, isLoading: false, since })),
      (error: unknown) => {
        const problem = toProblem(error, signal)
        // The login form comes, and after it the same question: see isIn above.
        if (problem.kind === 'login' && isCurrent) expireLogin()
        else show(({ since }) => ({ problem, isLoading: false, since }))
      },
    )
    return () => {
      isCurrent = false
      controller.abort()
    }
  }, [text, limit, round, isIn, askedAt])

  return { ...state, ask: useCallback(() => setRound((before) => before + 1), []), cancel }
}
