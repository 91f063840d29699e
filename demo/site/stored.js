/**
 * A value in localStorage that all tabs of the shop share. Where storage is refused it lives in this page only.
 * @template T
 * @param {string} key
 * @param {T} initial
 */
export function stored(key, initial) {
  /** @type {Set<() => void>} */
  const watchers = new Set()
  let inPage = JSON.stringify(initial)
  const tell = () => watchers.forEach((watcher) => watcher())
  addEventListener('storage', (event) => event.key === key && tell())
  return {
    /** @returns {T} */
    get() {
      try {
        return JSON.parse(localStorage.getItem(key) ?? inPage)
      } catch {
        return JSON.parse(inPage)
      }
    },
    /** @param {T} value */
    set(value) {
      inPage = JSON.stringify(value)
      try {
        localStorage.setItem(key, inPage)
      } catch {
        // Private windows of some browsers: the page goes on with its own copy.
      }
      tell()
    },
    /** @param {() => void} watcher called for a change in this tab or another */
    watch(watcher) {
      watchers.add(watcher)
    },
  }
}
