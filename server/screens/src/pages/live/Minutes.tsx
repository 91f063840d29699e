import { useMemo } from 'preact/hooks'
import { useAnswer } from '../../data/useAnswer'
import { AnswerBody } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { Chart } from '../../parts/Chart'
import type { LiveQuestion } from './useLiveEvents'
import { toMinutes } from './toMinutes'
import { useTick } from './useTick'

const minutes = 30
const everyMs = 10_000
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

/** Events and people of each of the last thirty minutes. */
export function Minutes({ question, isPaused }: { question: LiveQuestion; isPaused: boolean }) {
  const tick = useTick(everyMs, isPaused)
  const ask = { name: 'minutes', ...question, minutes }
  const asked = useAnswer(ask, { askedAt: tick })
  const lines = useMemo(() => toMinutes(asked.answer?.rows ?? [], minutes, new Date()), [asked.answer])
  const series = useMemo(
    () => [
      { title: 'Events', values: lines.events },
      { title: 'People', values: lines.people },
    ],
    [lines],
  )
  // Each answer replaces the one before without a word: the loading line would come every ten seconds.
  const shown = asked.answer ? { ...asked, isLoading: false } : asked
  return (
    <Card title={`The last ${minutes} minutes`} ask={ask}>
      <AnswerBody asked={shown} empty="Nobody was here in the last half hour.">
        {() => (
          <Chart
            caption={`Events and people by the minute, of the last ${minutes} minutes`}
            x={lines.x}
            series={series}
            nameX={(time) => clock.format(time * 1000)}
            height={130}
          />
        )}
      </AnswerBody>
    </Card>
  )
}
