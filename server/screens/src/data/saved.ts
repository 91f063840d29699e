import type { Alert } from './alerts'
import type { Ask } from './asks'
import { base } from './base'
import { createStore, useStore } from './createStore'
import { findGuest, guest, isGuest } from './guest'
import { post } from './post'
import { ask } from './query'

/** A card of a page at an address, as a guest sees it, too. */
export interface ShownCard {
  id: string
  path: string
  search: string
  /** Its name among the cards of the page. */
  card: string
  /** What it was called when it was put on the board. */
  title: string
  /** In sixths of the board. */
  width: number
  /** What is not the board's. */
  own: readonly ('time' | 'segment')[]
}

export interface BoardCard extends ShownCard {
  /** What guests of the board may ask. */
  asks: readonly Ask[]
}

/** What users save for all users, by its kind. */
export interface SavedValues {
  /** An event by its name or, from `/` on, the path of a page view, in which `*` is any text; the value of a property; or both. */
  goal: { event?: string; property?: string; value?: string }
  /** The address of a page of the screens. */
  view: { path: string; search: string }
  /** Cards of pages. `search` has the time and segment of those that have none of their own; `version` grows by one. */
  board: { title: string; search: string; version: number; cards: readonly BoardCard[] }
  /** Filters, as parameters of an address. */
  segment: { search: string }
  /** A figure that is agreed on: its definition, who answers for it, the day since when, and what is asked, without a time. */
  metric: { text: string; owner: string; since: string; answers: [Ask] }
  /** What guests may see: a page at its address and what it asks or, where `path` is null, all pages. */
  link: {
    path: string | null
    search: string
    /** The one card of the page that is shown. */
    card?: string
    /** The board that is shown as it is by then, with `answers: []`. */
    board?: string
    environment: string
    answers: readonly Ask[] | null
    ends_at: string | null
    origins: string[]
  }
  /** A text at a moment, as `toISOString` writes it. Its name is an id. */
  annotation: { at: string; text: string }
  alert: Alert
  /** Under the name of an environment: its suspects are left out of all figures. */
  exclusion: { suspects: true }
}
export type SavedKind = keyof SavedValues

export interface Saved<Kind extends SavedKind> {
  name: string
  value: SavedValues[Kind]
}

type Lists = { [Kind in SavedKind]: readonly Saved<Kind>[] }

const nothing: Lists = {
  goal: [],
  view: [],
  segment: [],
  annotation: [],
  link: [],
  board: [],
  metric: [],
  alert: [],
  exclusion: [],
}
/** Undefined until they were asked for. */
const lists = createStore<Lists | undefined>(undefined)

/** Asks for all that is saved. Without an answer, what was known stays: a page is of use without it. */
export async function loadSaved(): Promise<void> {
  if (isGuest) {
    // A board may have changed since the document was loaded; what it was stays without an answer.
    if (lists.get() !== undefined) await findGuest().catch(() => undefined)
    return lists.set({ ...nothing, goal: guest.get()?.goals ?? [] })
  }
  const { rows } = await ask({ name: 'saved' }).catch(() => ({ rows: undefined }))
  if (!rows) return
  const of = <Kind extends SavedKind>(kind: Kind) =>
    rows
      .filter((row) => row[0] === kind)
      .map(([, name, value]) => ({
        name: String(name),
        value: (typeof value === 'string' ? JSON.parse(value) : value) as SavedValues[Kind],
      }))
  lists.set({
    goal: of('goal'),
    view: of('view'),
    segment: of('segment'),
    metric: of('metric'),
    annotation: of('annotation'),
    link: of('link'),
    board: of('board'),
    alert: of('alert'),
    exclusion: of('exclusion'),
  })
}

export const useSaved = <Kind extends SavedKind>(kind: Kind): Lists[Kind] =>
  (useStore(lists) ?? nothing)[kind]

/** What is known by now, for what is changed after a wait. */
export const savedAlerts = (): readonly Saved<'alert'>[] => lists.get()?.alert ?? []
export const savedBoards = (): readonly Saved<'board'>[] => lists.get()?.board ?? []

/** Whether it is known what is saved. */
export const useIsKnown = (): boolean => useStore(lists) !== undefined

const send = (item: object) => post<{ address?: string }>('/saved', item)

/** Saves, renames or (with `null`) removes. Throws a `Problem`, nothing else. */
export async function save<Kind extends SavedKind>(
  kind: Kind,
  { name, value, was }: { name: string; value: SavedValues[Kind] | null; was?: string | undefined },
): Promise<void> {
  await send({ kind, name, value, ...(was === undefined ? {} : { was }) })
  await loadSaved()
}

/** Makes a link for guests. Its address is known from this answer alone. Throws a `Problem`, nothing else. */
export async function saveLink(link: Saved<'link'>): Promise<string> {
  const { address = '' } = await send({ kind: 'link', ...link })
  await loadSaved()
  return location.origin + base + address
}
