/* Runs in the test page: starts the library by the plan in the address, and acts. */
const plan = JSON.parse(new URLSearchParams(location.search).get('plan'))
const library = window.waymark
let bfcacheReturns = 0

addEventListener('pageshow', (event) => {
  if (event.persisted) bfcacheReturns++
})

/** Tells the page server something; not one of the requests that are counted. */
const sayUrl = (what, more) =>
  `/say?${new URLSearchParams({ what, name: plan.name, engine: plan.engine, ...more })}`
const say = (what, more = {}) => fetch(sayUrl(what, more), { cache: 'no-store' }).catch(() => {})

/** Ids are known beforehand: scenario, round, index. */
const track = (count, round = plan.round ?? 0, from = 0, properties = {}) => {
  for (let index = from; index < from + count; index++) {
    library.track('Ledger Event', {
      ...properties,
      ledger_engine: plan.engine,
      ledger_id: `${plan.name}/${round}/${index}`,
      ledger_at: Date.now(),
    })
  }
}

/** The next page of the same plan, on the same or the other origin. */
const nextUrl = (more) => {
  const next = JSON.stringify({ ...plan, ...more })
  return `${plan.origins[more.round % plan.origins.length]}${location.pathname}?plan=${encodeURIComponent(next)}`
}

/** Leaves for the next page of the plan. */
const goOn = () => {
  const next = nextUrl({ round: plan.round + 1 })
  // Every other page is only loaded again.
  if (!plan.reloads || plan.round % 2) return void (location.href = next)
  history.replaceState(null, '', next)
  location.reload()
}

const after = (ms, act) => void setTimeout(() => act(), ms)

/** Says it in a request that has no answer: nothing of the page runs any more but what microtasks do at once. */
const hang = async (what) => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  const request = new XMLHttpRequest()
  request.open('GET', sayUrl(what, { last: '' }), false)
  request.send()
}

/** The last event, by its index, that the disk was asked to keep. */
let lastAsked = -1

/** Says of each event, by its index, that the transaction which stores it is complete. */
const sayWhatIsWritten = () => {
  const put = IDBObjectStore.prototype.put
  IDBObjectStore.prototype.put = function (value, key) {
    const indexes = String(value).matchAll(/"ledger_id":"[^"]*\/(\d+)"/g)
    const own = Array.from(indexes, ([, index]) => Number(index))
    lastAsked = Math.max(lastAsked, ...own)
    if (own.length)
      this.transaction.addEventListener('complete', () => say('written', { round: plan.round, written: own }))
    return put.call(this, value, key)
  }
}

const acts = {
  /** Does nothing by itself: a driver calls `ledger`. */
  stay() {},

  /** The last task of the page tracks, and leaves for the next. */
  leave() {
    const { round, rounds, count } = plan
    if (round === rounds) return void say('left', { round })
    after(plan.stayMs, () => {
      track(count)
      goOn()
    })
  },

  /** Signs in or out, and leaves in the same task; the next page tells whether it knows, and puts it right. */
  signInAndOut() {
    const { round, rounds } = plan
    if (round === rounds) return void say('left', { round })
    const name = `user-${round - (round % 4)}`
    const isIn = round % 4 < 2
    const change = () => (isIn ? library.identify(name) : library.reset())
    if (round % 2 === 0) {
      // A page like any other tells that it was seen.
      track(1)
      const leave = () => {
        change()
        track(1, round, 1)
        goOn()
      }
      // The first task of a page, before its ids are known; the moment they are; a little later.
      const turn = ((round / 4) % 3) | 0
      if (turn === 0) leave()
      else library.ready().then(() => (turn === 1 ? leave() : after(round % 30, leave)))
      return
    }
    library.ready().then(async () => {
      const knows = library.ids.userId === (isIn ? name : undefined)
      await say('knows', { round, knows, isIn, turn: (((round - 1) / 4) % 3) | 0 })
      if (!knows) change()
      track(1)
      await library.flush()
      goOn()
    })
  },

  /** Tracks, and is killed in that very task: nothing of the page runs after what `track` has begun. */
  async trackAndHang() {
    await library.ready()
    // What the start of the page asks of the database stands in front of what is measured.
    await new Promise((done) => after(plan.stayMs, done))
    track(plan.count)
    await hang('tracked')
  },

  /** Is hidden by a tab in front of it while a request is under way, tracks, and is killed in that very task. */
  async hide() {
    if (plan.consent === 'granted') await library.ready()
    track(1)
    await library.flush()
    await say('known')
    track(1, plan.round, 1)
    void library.flush()
    document.addEventListener('visibilitychange', () => {
      track(plan.count, plan.round, 2)
      void hang('hidden')
    })
    open('/blank', '_blank', 'noopener')
  },

  /** Opens one popup after the other, each of which tracks and closes itself in its last task. */
  openPopups() {
    const { rounds } = plan
    let round = 0
    const next = () => {
      if (round === rounds) return void say('left', { round })
      const popup = open(nextUrl({ act: 'popup', round }), '_blank', 'width=300,height=300')
      const timer = setInterval(() => {
        if (!popup.closed) return
        clearInterval(timer)
        round++
        after(20, next)
      }, 10)
    }
    next()
  },

  popup() {
    after(plan.stayMs, () => {
      track(plan.count)
      window.close()
    })
  },

  /** Tracks one event after the other, and says so, until it is killed. */
  async tick() {
    let index = 0
    // A page whose database is slow does without it for a while.
    let isStoring = false
    // What the database takes to open at the first visit is not what a kill measures.
    if (plan.consent === 'granted') await library.ready()
    after(plan.stayMs, () =>
      setInterval(() => {
        const isLate = isStoring && lastAsked < index - 1
        isStoring = library.stats().store === 'indexeddb'
        track(1, plan.round, index)
        void say('tracked', { round: plan.round, index, at: Date.now(), isLate })
        index++
      }, plan.everyMs),
    )
  },
}

/** Resolves once all that was issued is written: a read comes after it. */
async function written() {
  for (const { name } of await indexedDB.databases()) {
    const opening = indexedDB.open(name)
    await new Promise((resolve) => (opening.onsuccess = resolve))
    const counting = opening.result.transaction('waymark').objectStore('waymark').count()
    await new Promise((resolve) => (counting.onsuccess = resolve))
    opening.result.close()
  }
  return true
}

/** Resolves to whether nothing waits any more, on disk neither. */
const isEmpty = async () => !library.stats().queued && written()

/** What the browser tells when it believes that the network is gone, or there. */
const setOnline = (isOnline) => {
  Object.defineProperty(navigator, 'onLine', { value: isOnline, configurable: true })
  dispatchEvent(new Event(isOnline ? 'online' : 'offline'))
}

/** Resolves to whether this page is behind the service worker, which it asks for. */
async function registerWorker() {
  await navigator.serviceWorker.register('serviceWorker.js')
  await navigator.serviceWorker.ready
  return true
}

window.ledger = {
  setOnline,
  registerWorker,
  isEmpty,
  written,
  page: plan.round,
  track,
  returns: () => bfcacheReturns,
  stats: () => library.stats(),
  drops: [],
}

const silent = () => new Proxy({}, { get: () => () => ({}) })
if (plan.indexedDb === 'hangs') Object.defineProperty(window, 'indexedDB', { value: silent() })

if (plan.act === 'tick') sayWhatIsWritten()

// A page that listens to `unload` is never kept in the page cache (not in WebKit, which takes no notice).
if (plan.noPageCache) addEventListener('unload', () => {})

library.init(plan.key, {
  endpoint: plan.endpoint,
  environment: 'production',
  consent: plan.consent,
  ...plan.config,
})
library.on('drop', (drop) => window.ledger.drops.push(drop))

const start = () => after(0, acts[plan.act])
if (document.readyState === 'complete') start()
else addEventListener('load', start)
