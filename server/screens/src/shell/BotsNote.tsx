import { askOf } from '../data/asks'
import { useShown } from '../data/shownAsks'
import { useAnswer } from '../data/useAnswer'
import { formatCount } from '../parts/format'
import { useScope } from './scope'

/** How much is left out: whoever tries the screens with a driven browser would see nothing, and not why. */
export function BotsNote() {
  const scope = useScope()
  const ask = askOf('bot_events', { ...scope, bots: false })
  useShown(ask)
  const { answer } = useAnswer(ask, { askedAt: scope.now })
  const count = Number(answer?.rows[0]?.[0] ?? 0)
  if (count === 0) return null
  return (
    <span class="soft" role="status">
      {formatCount(count)} {count === 1 ? 'event' : 'events'} of bots left out
    </span>
  )
}
