import { useEffect, useRef } from 'preact/hooks'
import { login } from './login'

/**
 * Calls `look` at once and then each time `everyMs` after it has ended, while the page can be seen and somebody is
 * logged in. The signal is aborted when that ends, or when one of `keys` changes.
 */
export function usePolling(
  look: (signal: AbortSignal) => Promise<void>,
  everyMs: number,
  keys: readonly unknown[],
): void {
  const newest = useRef(look)
  newest.current = look

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let controller: AbortController | undefined

    const run = async () => {
      controller = new AbortController()
      const { signal } = controller
      await newest.current(signal)
      if (!signal.aborted) timer = setTimeout(() => void run(), everyMs)
    }
    const stop = () => {
      controller?.abort()
      controller = undefined
      clearTimeout(timer)
    }
    const adapt = () => {
      const isWanted = !document.hidden && login.get().state === 'in'
      if (isWanted && !controller) void run()
      else if (!isWanted) stop()
    }

    adapt()
    document.addEventListener('visibilitychange', adapt)
    const forget = login.subscribe(adapt)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', adapt)
      forget()
    }
  }, [everyMs, ...keys])
}
