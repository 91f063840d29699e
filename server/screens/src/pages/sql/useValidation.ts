import { useEffect, useState } from 'preact/hooks'
import { type Validation, validate } from '../../data/assist'

const waitMs = 700

interface Written {
  text: string
  dialect: string | undefined
}

/** What is wrong with the statement, and what it is in DuckDB's SQL, once nobody has typed for a while. */
export function useValidation(
  { text, dialect }: Written,
  sessionId: string,
  isOn: boolean,
): Validation | undefined {
  const [found, setFound] = useState<{ of: Written; validation: Validation | undefined }>()
  useEffect(() => {
    if (!isOn || !text.trim()) return
    const controller = new AbortController()
    const { signal } = controller
    const look = async () => {
      // Without an answer nothing is known to be wrong; Run will tell.
      const validation = await validate(text, { sessionId, dialect, signal }).catch(() => undefined)
      if (!signal.aborted) setFound({ of: { text, dialect }, validation })
    }
    const timer = setTimeout(() => void look(), waitMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text, dialect, sessionId, isOn])
  return found?.of.text === text && found.of.dialect === dialect ? found.validation : undefined
}
