import { botEvents } from '../data/bots'
import { useAnswer } from '../data/useAnswer'
import { formatCount } from '../parts/format'
import { useScope } from './scope'

/** How much is left out: whoever tries the screens with a driven browser would see nothing, and not why. */
export function BotsNote() {
  const { environment, range, now } = useScope()
  const { answer } = useAnswer(botEvents({ environment, range }), { askedAt: now })
  const count = Number(answer?.rows[0]?.[0] ?? 0)
  if (count === 0) return null
  return (
    <span class="soft" role="status">
      {formatCount(count)} {count === 1 ? 'event' : 'events'} of bots left out
    </span>
  )
}
