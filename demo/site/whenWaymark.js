/**
 * Calls `fn` with the real object, at once or when the script tag has loaded.
 * @param {(waymark: any) => void} fn
 */
export function whenWaymark(fn) {
  if (window.waymark && !Array.isArray(window.waymark)) return fn(window.waymark)
  document
    .querySelector('#waymark-script')
    ?.addEventListener('load', () => fn(window.waymark), { once: true })
}
