import type { Ask } from './asks'
import { base } from './base'
import { readProblem, toProblem } from './Problem'
import type { Json } from './query'

/** One number of an answer; in a digest without `column`, its first rows. */
export interface Figure {
  ask: Ask
  column?: string
  row?: { column: string; is: string }
  label?: string
}

export type Format = 'json' | 'slack' | 'discord' | 'teams'
export type Receiver = { webhook: string; format: Format } | { mail: string }
export type When = 'below' | 'above' | 'changed' | 'nothing' | 'digest'
export type Over = 'hour' | 'day' | 'week' | 'minutes'

/** An alert as `POST /saved` takes it (docs/api.md, "Alerts"). */
export interface Alert {
  figures: readonly Figure[]
  over: Over
  minutes?: number
  timezone?: string
  when: When
  than?: number
  /** What is saved tells of a webhook its host alone; a text is the name of an alert whose receivers it takes. */
  to: readonly Receiver[] | string
  page?: string
  search?: string
  paused?: boolean
}

/** An alert says itself which time it is about. */
const ofTime = new Set(['from', 'until', 'before', 'timezone', 'interval', 'unit'])
/** Answers over time, and the one that has the same figures of a whole time. */
const wholeOf: Record<string, string> = { series: 'totals', daily: 'totals' }

/** What is asked for an alert about what a card shows; undefined where that is about no time. */
export function askOfAlert(ask: Ask): Ask | undefined {
  if (ask['from'] === undefined) return undefined
  const kept = Object.fromEntries(Object.entries(ask).filter(([name]) => !ofTime.has(name)))
  return { ...kept, name: wholeOf[ask.name] ?? ask.name }
}

export const describeReceivers = (to: Alert['to']): string =>
  typeof to === 'string' ? to : to.map((each) => ('mail' in each ? each.mail : each.webhook)).join(', ')

const times: Record<Over, (minutes: number) => string> = {
  hour: () => 'in the last full hour',
  day: () => 'on the last full day',
  week: () => 'in the last full week',
  minutes: (minutes) => `in the last ${minutes} minutes`,
}

/** A digest has no more. */
export const mostFigures = 10

/** What an alert is about: of a digest all its questions. */
export const nameFigures = ({ figures, when }: Pick<Alert, 'figures' | 'when'>): string =>
  (when === 'digest' ? figures : figures.slice(0, 1)).map(({ label, ask }) => label ?? ask.name).join(' · ')

/** `is below 10 on the last full day`. */
export function describeAlert({ when, than = 0, over, minutes = 0 }: Alert): string {
  if (when === 'digest') return over === 'day' ? 'sent every day' : 'sent every week'
  const verbs = {
    below: `is below ${than}`,
    above: `is above ${than}`,
    changed: `differs by more than ${than} % from the weeks before`,
    nothing: 'is nothing',
  }
  return `${verbs[when]} ${times[over](minutes)}`
}

export interface Tested {
  value: number | null
  expected: string | null
  would_fire: boolean | null
  signing_secret: string
  sent: readonly { receiver: string; error: string | null }[]
}

/** Judges an alert now, and sends a test. Throws a `Problem`, nothing else. */
export async function testAlert(name: string, value: Alert): Promise<Tested> {
  try {
    const response = await fetch(`${base}/alerts/test`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, value }),
    })
    if (!response.ok) throw await readProblem(response)
    return (await response.json()) as Tested
  } catch (error) {
    throw toProblem(error)
  }
}

/** What a test has found, and what became of it. */
export function describeTest({ value, expected, would_fire: fires, sent }: Tested): string {
  const failed = sent.flatMap(({ receiver, error }) => (error === null ? [] : [`${receiver}: ${error}`]))
  return [
    failed.length === 0 ? 'Sent.' : `Not taken. ${failed.join(' ')}`,
    ...(expected === null ? [] : [`Now it is ${value ?? 'unknown'}, expected is ${expected}.`]),
    ...(fires === null ? [] : [fires ? 'It would fire.' : 'It would not fire.']),
  ].join(' ')
}

/** A value of the column `definition`, which comes as JSON's text. */
export const readDefinition = (value: Json | undefined): Alert =>
  (typeof value === 'string' ? JSON.parse(value) : value) as Alert
