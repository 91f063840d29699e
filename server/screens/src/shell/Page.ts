import type { ComponentType } from 'preact'
import type { Counted } from '../data/fields'

/** `anonymous` is for answers about people over days: all others count visitors without consent in any case. */
export type Controls = readonly ('environment' | 'range' | 'bots' | 'anonymous')[]

const all: Controls = ['environment', 'range', 'bots']

/** The parts of the navigation. */
export type Group = 'Dashboards' | 'Analysis' | 'Activity' | 'Monitoring' | 'Data'

export interface Page {
  path: `/app/${string}`
  title: string
  group: Group
  /** It is given all pages: a board shows cards of them. */
  view: ComponentType<{ pages: readonly Page[] }>
  /** What of the header the page heeds, which may depend on its address; by default all. */
  controls?: Controls | ((search: URLSearchParams) => Controls)
  /** What filters leave some of, which may depend on the address; without it the page heeds none. */
  counts?: Counted | ((search: URLSearchParams) => Counted | undefined)
}

/** What of the header a page heeds at an address. */
export const controlsOf = ({ controls = all }: Page, search: URLSearchParams): Controls =>
  typeof controls === 'function' ? controls(search) : controls

/** What filters leave some of on a page at an address. */
export const countedOn = ({ counts }: Page, search: URLSearchParams): Counted | undefined =>
  typeof counts === 'function' ? counts(search) : counts
