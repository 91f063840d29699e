import type { Consent } from '../../core/types'
import type { Row } from './createBook'
import { style } from './style'

/** Text alone, never markup: names and values are anybody's. */
const make = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

const problemsOf = ({ why, verdict }: Row) => [
  ...(why ? [why] : []),
  ...(verdict?.plan === 'unplanned' ? ['The event is not in the plan.'] : (verdict?.problems ?? [])),
]

const kinds: Partial<Record<Row['kind'], string>> = {
  identify: 'identify ',
  alias: 'alias ',
  error: 'error ',
}

/** What one row says, and, when it is opened, its properties. */
const describe = (row: Row): HTMLElement => {
  const { at, kind, name, way, verdict, properties } = row
  const problems = problemsOf(row)
  const time = new Date(at)
  const parts = [
    make('time', { datetime: time.toISOString() }, time.toLocaleTimeString(undefined, { hour12: false })),
    make('b', {}, `${kinds[kind] ?? ''}${name || (kind === 'track' ? '(no name)' : '')}`),
    make('span', { class: `way ${way ?? 'error'}` }, way ?? 'error'),
    ...problems.map((problem) => make('span', { class: 'problem' }, problem)),
  ]
  if (verdict?.line && problems[0])
    parts.at(-1)!.append(make('span', { class: 'line' }, ` (${verdict.line})`))
  if (!properties) return make('div', { class: 'plain' }, ...parts)
  return make(
    'details',
    {},
    make('summary', {}, ...parts),
    make('pre', {}, JSON.stringify(properties, null, 2)),
  )
}

/** Why there may be calls that are not shown. */
const notes: Partial<Record<Consent, string>> = {
  pending: 'Consent is pending: calls wait until the visitor has chosen, and are shown then.',
  denied: 'Consent is denied: calls are dropped.',
  anonymous: 'Consent is not given: events are sent without ids.',
}

export interface PanelOptions {
  rows(): readonly Row[]
  getConsent(): Consent
  onClear(): void
  onClose(): void
}

/** The panel, in a shadow tree that neither changes the page nor is changed by it. It is a region like any other: Tab leaves it. */
export function createPanel({ rows, getConsent, onClear, onClose }: PanelOptions) {
  const host = make('waymark-overlay' as 'div')
  const root = host.attachShadow({ mode: 'open' })
  // A style sheet that a script makes needs no leave of a Content-Security-Policy.
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style)
  root.adoptedStyleSheets = [sheet]

  const clear = make('button', { type: 'button' }, 'Clear')
  const close = make('button', { type: 'button' }, 'Close')
  // Only what is wrong is read out: events can come all the time.
  const status = make('span', { role: 'status' })
  const list = make('ol')
  const note = make('p')
  const section = make(
    'section',
    { 'aria-label': 'Events of this page', tabindex: '-1' },
    make('header', {}, make('h2', {}, 'Events'), status, clear, close),
    note,
    list,
  )
  root.append(section)

  /** Where each row is shown. */
  const items = new Map<Row, HTMLLIElement>()

  const count = () => {
    const wrong = rows().filter((row) => row.kind === 'error' || problemsOf(row)[0]).length
    const text = wrong ? `${wrong} wrong` : ''
    if (status.textContent !== text) status.textContent = text
    note.textContent = notes[getConsent()] ?? (rows().length ? '' : 'Nothing was tracked yet.')
    note.hidden = !note.textContent
  }
  const show = (row: Row) => {
    const shown = items.get(row)
    const item = shown ?? make('li')
    const wasOpen = shown?.querySelector('details')?.open
    const hadFocus = shown?.contains(root.activeElement)
    item.replaceChildren(describe(row))
    const details = item.querySelector('details')
    if (details && wasOpen) details.open = true
    if (hadFocus) details?.querySelector('summary')?.focus()
    if (shown) return
    items.set(row, item)
    list.prepend(item)
  }
  const forget = () => {
    const kept = rows()
    for (const [row, item] of items) {
      if (kept.includes(row)) continue
      items.delete(row)
      item.remove()
    }
  }

  clear.addEventListener('click', () => {
    onClear()
    forget()
    count()
  })
  close.addEventListener('click', onClose)
  host.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') onClose()
    // Keys typed here must not reach the page.
    event.stopPropagation()
  })

  return {
    isOpen: () => host.isConnected,
    update(row: Row) {
      if (!host.isConnected) return
      show(row)
      forget()
      count()
    },
    open() {
      for (const row of rows()) show(row)
      forget()
      count()
      // Beside `body`: a framework may replace all that is in it.
      document.documentElement.append(host)
      section.focus({ preventScroll: true })
    },
    /** Returns whether the reader was in it. */
    close() {
      const hadFocus = document.activeElement === host
      host.remove()
      return hadFocus
    },
    refresh: () => host.isConnected && count(),
  }
}
