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
