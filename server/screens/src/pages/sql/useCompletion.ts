import { useEffect, useRef, useState } from 'preact/hooks'
import { suggest } from '../../data/assist'
import { type Completion, isInName, noCompletion, toCompletion } from './completion'

const waitMs = 120

interface Completing {
  completion: Completion
  /** Asks for what could stand at the end of `before`; `isAsked` when the person wanted that by a key. */
  look: (before: string, isAsked: boolean) => void
  set: (completion: Completion) => void
  close: () => void
}

/** Suggestions of the service while somebody types. */
export function useCompletion(sessionId: string, dialect: string | undefined): Completing {
  const [completion, set] = useState(noCompletion)
  const end = useRef<() => void>(() => {})
  useEffect(() => () => end.current(), [])

  const close = () => {
    end.current()
    set(noCompletion)
  }

  const look = (before: string, isAsked: boolean) => {
    end.current()
    if (!isAsked && !isInName(before)) {
      set(noCompletion)
      return
    }
    const controller = new AbortController()
    const { signal } = controller
    const ask = async () => {
      // Without suggestions the editor is an editor still, so no failure is shown.
      const suggestions = await suggest(before, { sessionId, dialect, signal }).catch(() => [])
      if (!signal.aborted) set(toCompletion(before, suggestions, isAsked))
    }
    const timer = setTimeout(() => void ask(), isAsked ? 0 : waitMs)
    end.current = () => {
      clearTimeout(timer)
      controller.abort()
    }
  }
  return { completion, look, set, close }
}
