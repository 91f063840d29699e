import type { Book } from '../createBook.mjs'
import type { Engine, LaunchOptions, Session, Tab } from '../engines/types'
import type { FaultProxy } from '../serve/createFaultProxy.mjs'

/** What a test page is told, in its address. */
export interface Plan {
  act: 'stay' | 'leave' | 'signInAndOut' | 'trackAndHang' | 'hide' | 'openPopups' | 'popup' | 'tick'
  round?: number
  rounds?: number
  /** Events of the last task. */
  count?: number
  /** How long the page lives before it acts. */
  stayMs?: number
  /** Sends first, and leaves while the request is under way. */
  flushFirst?: boolean
  everyMs?: number
  /** Every other page leaves by a reload. */
  reloads?: boolean
  noPageCache?: boolean
  /** The page is in the scope of a service worker. */
  behindServiceWorker?: boolean
  origins?: string[]
  indexedDb?: 'hangs'
  config?: Record<string, unknown>
}

/** What a scenario works with. */
export interface Stage {
  name: string
  engine: Engine
  /** The driven browser; scenarios of the kind `alone` start their own. */
  session: Session
  /** For scenarios that start browsers of their own. */
  launch: LaunchOptions
  rounds: number
  fast: boolean
  /** What all pages were given. */
  consent: string
  proxy: FaultProxy
  book: Book
  origin: Record<'same' | 'other' | 'insecure', string>
  /** Address of a test page. */
  urlOf(plan: Plan, origin?: string): string
  open(plan: Plan, origin?: string): Promise<Tab>
  /** Books events of one round. */
  expect(round: number, count: number, from?: number): void
  /** Tracks in the page, and books it. */
  track(tab: Tab, count: number, round: number, from?: number): Promise<void>
  /** Hears what the pages of this scenario say in this engine until the returned function is called, or it is over. */
  hear(what: string, listen: (message: Record<string, string>) => void): () => void
  /** Resolves when a page of this scenario has said it; rejects when its pages have done nothing for so long. */
  heard(what: string, quietMs?: number): Promise<Record<string, string>>
  /** Resolves when everything has arrived, or nothing more did for so long. */
  arrived(quietMs?: number): Promise<boolean>
  /**
   * Resolves when the page has an answer for everything and nothing is left on its disk: a tab that is closed in the
   * moment of the answer is what `close-tab` measures.
   */
  emptied(tab: Tab): Promise<boolean>
  /** Resolves when what the page tracks goes to its disk, if it stores anything. */
  storing(tab: Tab): Promise<void>
  /** A figure beside lost and twice that was missed. */
  miss(text: string): void
  note(text: string): void
}

export interface Scenario {
  name: string
  /** `leaving`: one after the other in one browser. `outage`: side by side in its tabs. `alone`: browsers of their own. */
  kind: 'leaving' | 'outage' | 'alone'
  /** Its pages leave right after they tracked, so that the table tells how much was handed off. */
  leaves?: boolean
  /** `once`: no event is sent twice. `same-id`: a second copy carries the same insert id, and the service drops it. */
  promise: 'once' | 'same-id'
  /** How many of the rounds asked for this scenario runs by default: one in so many. */
  oneIn: number
  /** Where it tells something; everywhere by default. */
  engines?: Engine['name'][]
  fastRounds: number
  /** Where its pages live, so that a later visit finds what they left. */
  origins: ('same' | 'other' | 'insecure')[]
  /** Where an engine cannot keep the promise: how many rounds' copies are let pass, as a share, and why. */
  engineLimit?: { engine: Engine['name']; twiceShare: number; why: string }
  act(stage: Stage): Promise<void>
}
