import { useEffect, useState } from 'preact/hooks'
import { validate } from '../../data/assist'

const waitMs = 700

/** What is wrong with the statement, once nobody has typed for a while. */
export function useValidation(statement: string, sessionId: string, isOn: boolean): string | null {
  const [found, setFound] = useState<{ statement: string; error: string | null }>()
  useEffect(() => {
    if (!isOn || !statement.trim()) return
    const controller = new AbortController()
    const { signal } = controller
    const look = async () => {
      // Without an answer nothing is known to be wrong; Run will tell.
      const error = await validate(statement, { sessionId, signal }).catch(() => null)
      if (!signal.aborted) setFound({ statement, error })
    }
    const timer = setTimeout(() => void look(), waitMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [statement, sessionId, isOn])
  return found?.statement === statement ? found.error : null
}
