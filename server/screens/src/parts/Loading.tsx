import { useEffect, useState } from 'preact/hooks'

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
