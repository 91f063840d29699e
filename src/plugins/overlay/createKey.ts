/** Reads `Alt+Shift+E`: what tells whether a keystroke is that one. */
export function createKey(key: string): (event: KeyboardEvent) => boolean {
  const parts = key.toLowerCase().split('+')
  const last = parts.pop()!
  return (event) =>
    // With Alt, a Mac types another letter than the one on the key.
    (event.key.toLowerCase() === last || event.code.toLowerCase() === `key${last}`) &&
    event.altKey === parts.includes('alt') &&
    event.shiftKey === parts.includes('shift') &&
    event.ctrlKey === parts.includes('ctrl') &&
    event.metaKey === parts.includes('meta')
}
