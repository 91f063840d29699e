import type { Json } from '../../data/query'
import type { Setup } from '../../data/setup'

/** The newest event of people, or of bots, in an environment. */
export interface Arrival {
  environment: string
  isBot: boolean
  receivedAt: string
  event: string
  url: string
  lacksCampaigns: boolean
}

export const toArrival = ([environment, isBot, receivedAt, event, url, lacksCampaigns]: Json[]): Arrival => ({
  environment: String(environment),
  isBot: isBot === true,
  receivedAt: String(receivedAt),
  event: String(event),
  url: String(url),
  lacksCampaigns: lacksCampaigns === true,
})

/** How far a page has come with its first events, and what is in its way. */
export interface Progress {
  /** `refused`: a request came, and was wrong. `elsewhere`: events are in another environment. */
  state: 'arrived' | 'refused' | 'bots' | 'elsewhere' | 'waiting'
  arrival?: Arrival
  /** Since the newest event a request was refused. */
  refused?: NonNullable<Setup['refused']>
}

const newest = (arrivals: readonly Arrival[]): Arrival | undefined =>
  arrivals.toSorted((a, b) => Date.parse(b.receivedAt) - Date.parse(a.receivedAt))[0]

export function readProgress(
  arrivals: readonly Arrival[],
  refusal: Setup['refused'],
  environment: string,
): Progress {
  const own = arrivals.filter((each) => each.environment === environment)
  const person = newest(own.filter(({ isBot }) => !isBot))
  const last = newest(arrivals)
  const isLater = refusal !== null && (!last || Date.parse(refusal.at) > Date.parse(last.receivedAt))
  const refused = isLater ? { refused: refusal } : {}
  if (person) return { state: 'arrived', arrival: person, ...refused }
  if (isLater) return { state: 'refused', ...refused }
  const bot = newest(own)
  if (bot) return { state: 'bots', arrival: bot }
  return last ? { state: 'elsewhere', arrival: last } : { state: 'waiting' }
}
