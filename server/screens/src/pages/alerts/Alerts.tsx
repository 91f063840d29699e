import { useState } from 'preact/hooks'
import type { Alert } from '../../data/alerts'

import { useMayWrite } from '../../data/login'
import { toProblem } from '../../data/Problem'
import { save, useSaved } from '../../data/saved'
import { useAnswer } from '../../data/useAnswer'
import { usePolling } from '../../data/usePolling'
import { addressOf, useSearch } from '../../address/location'
import { useScope } from '../../address/scope'
import { AlertForm } from '../../parts/AlertForm'
import type { Draft } from '../../parts/FigureFields'
import { AnswerBody } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { AlertTable, MessageTable } from './tables'

const pollMs = 15_000

const silence = 'silence'

/** What tells that a site's events have stopped. */
const silenceOf = (environment: string): { name: string; draft: Draft & Omit<Alert, 'to'> } => ({
  name: `Events of ${environment} have stopped`,
  draft: {
    figures: [
      {
        ask: { name: 'explore', environment, bots: false, measure: 'events' },
        ...{ column: 'figure', label: `Events of ${environment}` },
      },
    ],
    ...{ when: 'nothing', over: 'minutes', minutes: 60, page: location.origin + addressOf('/app/live') },
    search: new URLSearchParams({ env: environment }).toString(),
  },
})

/** The alerts and digests, what they have found, and what was sent. */
export function Alerts() {
  const { environment, now } = useScope()
  const [search, setSearch] = useSearch()
  const mayWrite = useMayWrite()
  const saved = useSaved('alert')
  const alerts = useAnswer({ name: 'alerts' }, { askedAt: now })
  const messages = useAnswer({ name: 'alert_messages' }, { askedAt: now })
  const [edited, setEdited] = useState<{ was?: string; name: string; draft: Draft }>()
  const [problem, setProblem] = useState('')

  const again = () => {
    alerts.ask()
    messages.ask()
  }
  usePolling(
    () => {
      again()
      return Promise.resolve()
    },
    pollMs,
    [saved],
  )
  const quietly = (work: Promise<void>) =>
    work.then(
      () => setProblem(''),
      (error: unknown) => setProblem(toProblem(error).message),
    )
  const stop = silenceOf(environment)
  const isWatched = saved.some(({ name }) => name === stop.name)
  const other = saved.find(({ value }) => value.to.length > 0)
  const watchSilence = () => {
    if (other === undefined) setEdited(stop)
    else void quietly(save('alert', { name: stop.name, value: { ...stop.draft, to: other.name } }))
  }
  const isAsked = search.get('new') === silence && mayWrite && !isWatched
  const shown = edited ?? (isAsked ? stop : undefined)
  const pause = (name: string, alert: Alert, isPaused: boolean) =>
    void quietly(save('alert', { name, value: { ...alert, to: name, paused: !isPaused } }))

  return (
    <>
      <Card
        title="Alerts"
        isStale={alerts.problem !== undefined}
        aside={
          mayWrite &&
          !isWatched && (
            <button class="button" type="button" onClick={watchSilence}>
              Alert me when events stop
            </button>
          )
        }
      >
        {problem && <p role="alert">{problem}</p>}
        <AnswerBody
          asked={{ ...alerts, isLoading: alerts.isLoading && !alerts.answer }}
          empty="There are no alerts. “Alert” in the menu ⋯ of a card makes one of what the card shows."
        >
          {({ rows }) => (
            <AlertTable
              rows={rows}
              change={mayWrite ? (name, draft) => setEdited({ was: name, name, draft }) : undefined}
              pause={pause}
            />
          )}
        </AnswerBody>
      </Card>
      <Card title="Messages" isStale={messages.problem !== undefined}>
        <AnswerBody
          asked={{ ...messages, isLoading: messages.isLoading && !messages.answer }}
          empty="Nothing was sent yet."
        >
          {({ rows }) => <MessageTable rows={rows} />}
        </AnswerBody>
      </Card>
      {shown && (
        <AlertForm
          {...shown}
          close={() => {
            setEdited(undefined)
            if (isAsked) setSearch({ new: undefined }, { replace: true })
            again()
          }}
        />
      )}
    </>
  )
}
