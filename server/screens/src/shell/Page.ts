import type { ComponentType } from 'preact'

export interface Page {
  path: `/app/${string}`
  title: string
  view: ComponentType
  /** What of the header the page heeds; by default all. */
  controls?: readonly ('environment' | 'range' | 'bots')[]
  /** The page heeds the filters of the address, so links between such pages keep them. */
  isFiltered?: true
}
