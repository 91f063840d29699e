/** One call of the library, as the script makes it; `wait` lets the page's clock run ahead by so many minutes. */
export type Call =
  | ['track', name: string, properties?: Record<string, unknown>]
  | ['identify', user: string, traits?: Record<string, unknown>]
  | ['updateTraits', traits: Record<string, unknown>]
  | ['alias', user: string]
  | ['reset']
  | ['setConsent', state: Consent]
  | ['wait', minutes: number]

export type Consent = 'granted' | 'pending' | 'denied'

export interface Utm {
  source?: string
  medium?: string
  campaign?: string
}

/** Where a link or an address leads to. */
export interface Place {
  path: string
  utm?: Utm
}

/** What a person does in one step. */
export type Deed =
  /** Goes to a page by its address, or from a page of another site. */
  | ({ kind: 'visit'; fromNews?: boolean } & Place)
  | ({ kind: 'link' } & Place)
  | { kind: 'reload' | 'back' | 'forward' | 'close' }
  /** Calls in one task; that task may also be the last of the page. */
  | { kind: 'call'; calls: Call[]; end?: 'close' | Place }
  /** `kill -9` of the browser, which is started again. */
  | { kind: 'kill' }
  /** `isKnown`: the browser says that it is offline. */
  | { kind: 'network'; isOnline: boolean; isKnown: boolean }
  /** Waits until a request has failed. */
  | { kind: 'fail' }

export interface Step {
  /** `p07.3`: the third of the seventh person. */
  id: string
  device: string
  tab: number
  /** What the clock of the device says, in Unix milliseconds: whole minutes. */
  clock: number
  deed: Deed
}

export interface Device {
  /** `p07/phone` */
  id: string
  /** It is killed, so it has a browser of its own. */
  isKilled: boolean
  consent: Consent
  gpc: boolean
  /** The endpoint has another origin than the page. */
  isCrossOrigin: boolean
  /** Its pages load the plugin `campaign`; without it, only the address says where somebody comes from. */
  hasCampaign: boolean
  /** It calls itself a crawler, in what its browser sends. */
  isBot: boolean
}

export interface Person {
  id: string
  story: string
  about: string
  devices: Device[]
  steps: Step[]
}

/** One event that must be stored, once. */
export interface TrueEvent {
  /** The mark that the page puts on it, by which it is known again. */
  mark: string
  name: string
  /** By the clock of the device. */
  at: number
  device: string
  /** The device, from one sign-out to the next. */
  visitor: string
  session: string
  path: string
  /** The page was reached from another site. */
  isFromNews: boolean
  /** What the address of its page says, and what the plugin `campaign` has registered. */
  address: Utm
  registered: Utm
  /** Which of both counts. */
  utm: Utm
  isBot: boolean
  properties: Record<string, unknown>
}

export interface TrueTraits {
  user: string
  traits: Record<string, unknown>
  at: number
}

export interface Truth {
  /** In the order of what each person did. */
  events: TrueEvent[]
  traits: TrueTraits[]
  /** The person of a visitor or a user. */
  personOf(id: string): string
  /** The name of a person, where a user is known. */
  isNamed(person: string): boolean
}

export type Row = (string | number | null)[]

export interface Question {
  name: string
  about: string
  sql: string
  /** The rows that the truth gives. */
  expect(truth: Truth): Row[]
}

/** A card of the service's screens. */
export interface Card {
  title: string
  /** The tables' rows: the cells of each, and the texts of each cell. */
  rows: string[][][]
  /** The texts of the figures of the overview, or of a funnel's steps. */
  items: string[][]
  /** Where the rows of a list of people lead to. */
  links: string[]
  /** The sessions of a timeline. */
  visits: { time: string; name: string; url: string; properties: Record<string, string> }[][]
}

/** What is compared: an answer in SQL, or what a screen shows. */
interface Comparison {
  by: 'SQL' | 'screen'
  name: string
  about: string
  /** The statement, or the address of the screen. */
  source: string
}

export interface Answer extends Comparison {
  rows: Row[]
  /** The rows that the truth gives. */
  expect(truth: Truth): Row[]
}

export interface Verdict extends Comparison {
  rows: number
  /** Rows of the truth that the service does not give. */
  missing: string[]
  /** Rows of the service that the truth does not have. */
  extra: string[]
}
