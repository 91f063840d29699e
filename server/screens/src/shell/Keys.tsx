import { useLayoutEffect, useRef } from 'preact/hooks'
import { createStore, useStore } from '../data/createStore'
import { filterParameter } from '../data/filters'
import { isFixed } from '../data/guest'
import type { Controls } from './Page'
import { useScope } from '../address/scope'
import { ranges } from '../address/timeRange'
import { useSearch } from '../address/location'

/** A box to tick takes no letters; and after its dialog has closed it keeps the focus until the next frame. */
const typed = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'

/**
 * The key of an event that is a command: no modifier is held, nothing is being typed, no dialog is open. Shift counts
 * as none, because `?` is typed with it; a letter with it is a capital, and no command.
 */
export function readKey(event: KeyboardEvent): string | undefined {
  const { key, target } = event
  if (event.defaultPrevented || event.isComposing || event.repeat) return undefined
  if (event.ctrlKey || event.metaKey || event.altKey || key.length !== 1) return undefined
  if (target instanceof Element && target.closest(typed)) return undefined
  return document.querySelector('dialog[open]') ? undefined : key
}

interface Command {
  key: string
  title: string
  run: () => void
}

const storage = 'waymark.keys'
const readOn = () => {
  try {
    return localStorage.getItem(storage) !== 'off'
  } catch {
    // Storage is off: the keys work, and cannot be turned off for longer than this page.
    return true
  }
}
/** People who dictate, or touch keys unawares, turn them off. */
const isOn = createStore(readOn())
const turn = (on: boolean) => {
  isOn.set(on)
  try {
    localStorage.setItem(storage, on ? 'on' : 'off')
  } catch {
    // See above.
  }
}

/** The commands of a page, by what of the header it heeds. */
function useCommands(controls: Controls, isFiltered: boolean): Command[] {
  const { bots, reload } = useScope()
  const [, setSearch] = useSearch()
  const ofRange = ranges
    .filter(([name]) => name !== 'custom')
    .slice(0, 9)
    .map(([name, title], at) => ({
      key: String(at + 1),
      title,
      run: () => setSearch({ range: name, from: undefined, until: undefined }),
    }))
  const ofFilters = [
    {
      key: 'f',
      title: 'Go to the field for filters',
      run: () => document.querySelector<HTMLElement>('.filter-form input')?.focus(),
    },
    { key: 'x', title: 'Remove all filters', run: () => setSearch({ [filterParameter]: undefined }) },
  ]
  const goToPages = () => {
    const nav = document.querySelector('.nav')
    const link = nav?.querySelector<HTMLElement>('[aria-current]') ?? nav?.querySelector('a')
    if (link?.checkVisibility() === false) link.closest<HTMLElement>('[popover]')?.showPopover()
    link?.focus()
  }
  return [
    ...(isFixed() ? [] : [{ key: 'g', title: 'Go to the list of pages', run: goToPages }]),
    ...(controls.includes('range') ? ofRange : []),
    ...(isFiltered ? ofFilters : []),
    ...(controls.includes('bots')
      ? [{ key: 'b', title: 'With or without bots', run: () => setSearch({ bots: bots ? undefined : '1' }) }]
      : []),
    ...(controls.length > 0 ? [{ key: 'r', title: 'Reload', run: reload }] : []),
  ]
}

/** Runs the commands of keys, and lists them in a dialog. */
export function Keys({ controls, isFiltered }: { controls: Controls; isFiltered: boolean }) {
  const commands = useCommands(controls, isFiltered)
  const on = useStore(isOn)
  const dialog = useRef<HTMLDialogElement>(null)
  // The element alone knows whether it is open: its `close` event comes a moment after it has closed.
  const show = () => {
    if (!dialog.current?.open) dialog.current?.showModal()
  }

  // An effect would run a frame later, and a key that is pressed at once would meet the commands of before.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const key = readKey(event)
      const command = on ? commands.find((each) => each.key === key) : undefined
      if (key === '?') show()
      else if (command) command.run()
      else return
      // Otherwise the letter would be typed into the field that has the focus now.
      event.preventDefault()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  })

  return (
    <>
      <button
        class="button quiet"
        type="button"
        title="Keys"
        aria-label="Keys"
        aria-haspopup="dialog"
        aria-keyshortcuts="?"
        onClick={show}
      >
        ?
      </button>
      <dialog ref={dialog} class="sql-dialog" aria-label="Keys">
        <header class="card-head">
          <h2>Keys</h2>
          <button class="button" type="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </header>
        <dl class="keys">
          {[{ key: '?', title: 'Show these keys' }, ...commands].map(({ key, title }) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{title}</dd>
            </div>
          ))}
        </dl>
        <label class="field check">
          <input
            type="checkbox"
            role="switch"
            checked={on}
            onChange={(event) => turn(event.currentTarget.checked)}
          />
          Keys other than ? work
        </label>
      </dialog>
    </>
  )
}
