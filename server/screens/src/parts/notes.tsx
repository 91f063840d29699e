import { useEffect, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { Problem, ProblemKind } from '../data/Problem'

const showAfterMs = 300
const offerAfterS = 3

/** Says that an answer is on its way, and offers to cancel it once that takes long. */
export function Loading({ since: asked, cancel }: { since?: number; cancel?: () => void }) {
  const [shown] = useState(Date.now)
  const since = asked ?? shown
  const [passedMs, setPassed] = useState(0)
  useEffect(() => {
    const look = () => setPassed(Date.now() - since)
    look()
    const timers = [setTimeout(look, showAfterMs), setInterval(look, 1000)] as const
    return () => {
      clearTimeout(timers[0])
      clearInterval(timers[1])
    }
  }, [since])

  const seconds = Math.floor(passedMs / 1000)
  return (
    <div class="loading" role="status">
      {passedMs >= showAfterMs && (
        <>
          <span class="loading-bar" aria-hidden="true" />
          <span class="soft">Asking …{seconds >= offerAfterS ? ` ${seconds} s` : ''}</span>
          {cancel && seconds >= offerAfterS && (
            <button class="button" type="button" onClick={cancel}>
              Cancel
            </button>
          )}
        </>
      )}
    </div>
  )
}

/** There is an answer, and nothing in it. */
export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty soft">{children}</p>

const titles: Record<ProblemKind, string> = {
  login: 'You are not logged in.',
  forbidden: 'You may not see this.',
  away: 'No answer.',
  busy: 'The service is busy.',
  cancelled: 'Cancelled.',
  refused: 'The service refused this.',
  broken: 'The answer stopped.',
}

/** Why there is no answer, and a way to ask again. */
export function ProblemNote({ problem, again }: { problem: Problem; again?: () => void }) {
  return (
    <div class={`problem is-${problem.kind}`} role="alert">
      <p>
        <strong>{titles[problem.kind]}</strong> <span class="problem-text">{problem.message}</span>
      </p>
      {again && problem.kind !== 'forbidden' && (
        <button class="button" type="button" onClick={again}>
          Ask again
        </button>
      )}
    </div>
  )
}
