import type { Host } from '../../core/types'
import type { overlay as create } from '../overlay'
import { createBook } from './createBook'
import { createKey } from './createKey'
import { createPanel } from './createPanel'

// The entry `waymark/overlay` where a bundler knows the condition `development`.

export const overlay: typeof create = ({ plan, key = 'Alt+Shift+E' } = {}) => {
  let panel: ReturnType<typeof createPanel> | undefined
  let before: Element | null = null
  let getConsent: Host['getConsent'] = () => 'granted'
  const book = createBook((row) => panel?.update(row), plan)
  const isKey = createKey(key)

  const close = () => {
    // Back to where the reader was.
    if (panel?.close() && before instanceof HTMLElement) before.focus()
  }
  const open = () => {
    panel ??= createPanel({
      rows: book.rows,
      getConsent: () => getConsent(),
      onClear: book.clear,
      onClose: close,
    })
    if (panel.isOpen()) return
    before = document.activeElement
    panel.open()
  }
  const pressed = (event: KeyboardEvent) => {
    if (!isKey(event)) return
    // A letter with Alt would go into a field.
    event.preventDefault()
    event.stopPropagation()
    if (panel?.isOpen()) close()
    else open()
  }

  return {
    name: 'overlay',
    beforeSend(draft) {
      book.waits(draft)
      return draft
    },
    start(host) {
      getConsent = host.getConsent
      const stops = [book.follow(host.on), host.on('consent', () => panel?.refresh())]
      window.addEventListener('keydown', pressed, true)
      console.info(`[waymark] ${key} shows the events of this page.`)
      return () => {
        for (const stop of stops) stop()
        window.removeEventListener('keydown', pressed, true)
        close()
      }
    },
    open,
  }
}
