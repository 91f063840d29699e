/* Runs in the page before the library: gives it the clock of the script, and makes the calls that a person's clicks make. */
const { step, timeZone, width, isOnline, gpc, wasKilled } = JSON.parse(document.currentScript.dataset.page)
const minuteMs = 60_000

let startedAt = 0
let base = 0
/** From now on the clock of this page goes on from there. */
const setClock = (at) => {
  base = at
  startedAt = performance.now()
}
/** What the script says now: a page that comes back, also out of the HTTP cache, would have the clock of before. */
const readClock = () => {
  const request = new XMLHttpRequest()
  request.open('GET', '/clock', false)
  request.send()
  setClock(Number(request.responseText))
}
readClock()
const now = () => Math.floor(base + performance.now() - startedAt)
window.Date = class extends Date {
  static now = now
  constructor(...given) {
    super(...(given.length ? given : [now()]))
  }
}

// The engine stands for the person's own device.
const { resolvedOptions } = Intl.DateTimeFormat.prototype
Intl.DateTimeFormat.prototype.resolvedOptions = function () {
  return { ...resolvedOptions.call(this), timeZone }
}
Object.defineProperty(window, 'innerWidth', { value: width, configurable: true })

const setOnline = (value) => Object.defineProperty(navigator, 'onLine', { value, configurable: true })
if (!isOnline) setOnline(false)
if (gpc) Object.defineProperty(navigator, 'globalPrivacyControl', { value: true, configurable: true })

// It has to be right before the library hears of the return from the page cache.
addEventListener('pageshow', ({ persisted }) => persisted && readClock(), { capture: true })

// A page view gets the mark of its page, with how often that was seen in this tab: by reload, back and forward, too.
const stamp = {
  name: 'stamp',
  beforeSend(draft) {
    if (draft.event !== '$pageview') return draft
    const seen = Number(sessionStorage.getItem(step) ?? 0) + 1
    sessionStorage.setItem(step, seen)
    return { ...draft, properties: { ...draft.properties, mark: `${step}#${seen}` } }
  },
}
window.waymark = [['use', stamp]]

window.person = {
  /** How many databases were there before the library. */
  databases: wasKilled ? indexedDB.databases().then(({ length }) => length) : undefined,

  /** Whether this is the page of that step, and has loaded. */
  isAt: (wanted) =>
    wanted === step && document.readyState === 'complete' && typeof waymark.ready === 'function',

  /** Calls in one task; it may be the last of the page. */
  call(by, at, calls, next) {
    setClock(at)
    calls.forEach(([name, ...given], index) => {
      if (name === 'wait') setClock(Date.now() + given[0] * minuteMs)
      else if (name === 'track') waymark.track(given[0], { ...given[1], mark: `${by}/${index}` })
      else waymark[name](...given)
    })
    if (next) location.href = next
  },

  /** Resolves once all that the library has issued is written: a read comes after it. */
  async written() {
    if (waymark.stats().store !== 'indexeddb') return
    for (const { name } of await indexedDB.databases()) {
      const opening = indexedDB.open(name)
      await new Promise((resolve) => (opening.onsuccess = resolve))
      const counting = opening.result.transaction('waymark').objectStore('waymark').count()
      await new Promise((resolve) => (counting.onsuccess = resolve))
      opening.result.close()
    }
  },

  /** What the tabs of a browser tell each other, as far as each has heard it. */
  known: () =>
    JSON.stringify(waymark.getConsent() === 'granted' ? [waymark.ids.anonymousId, waymark.ids.userId] : []),

  setOnline(value) {
    setOnline(value)
    dispatchEvent(new Event(value ? 'online' : 'offline'))
  },
}
