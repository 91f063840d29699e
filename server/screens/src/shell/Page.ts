import type { ComponentType } from 'preact'

/** `anonymous` is for answers about people over days: all others count visitors without consent in any case. */
export type Controls = readonly ('environment' | 'range' | 'bots' | 'anonymous')[]

const all: Controls = ['environment', 'range', 'bots']

export interface Page {
  path: `/app/${string}`
  title: string
  view: ComponentType
  /** What of the header the page heeds, which may depend on its address; by default all. */
  controls?: Controls | ((search: URLSearchParams) => Controls)
  /** The page heeds the filters of the address, so links between such pages keep them. */
  isFiltered?: true
}

/** What of the header a page heeds at an address. */
export const controlsOf = ({ controls = all }: Page, search: URLSearchParams): Controls =>
  typeof controls === 'function' ? controls(search) : controls
