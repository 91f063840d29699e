/* Runs in the test page: starts the library by the plan in the address, and acts. */
const plan = JSON.parse(new URLSearchParams(location.search).get('plan'))
const library = window.waymark
let bfcacheReturns = 0

addEventListener('pageshow', (event) => {
  if (event.persisted) bfcacheReturns++
})

/** Tells the page server something; not one of the requests that are counted. */
const say = (what, more = {}) =>
  fetch(`/say?${new URLSearchParams({ what, name: plan.name, ...more })}`, { cache: 'no-store' }).catch(
    () => {},
  )

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
  return `${plan.origins[more.round % plan.origins.length]}/page?plan=${encodeURIComponent(next)}`
}

const after = (ms, act) => void setTimeout(() => act(), ms)

const acts = {
  /** Does nothing by itself: a driver calls `ledger`. */
  stay() {},

  /** The last task of the page tracks, and leaves for the next. */
  leave() {
    const { round, rounds, count } = plan
    if (round === rounds) return void say('left', { round })
    after(plan.stayMs, () => {
      track(count)
      location.href = nextUrl({ round: round + 1 })
    })
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
    // What the database takes to open at the first visit is not what a kill measures.
    await library.ready()
    after(plan.stayMs, () =>
      setInterval(() => {
        track(1, plan.round, index)
        void say('tracked', { round: plan.round, index, at: Date.now() })
        index++
      }, plan.everyMs),
    )
  },
}

/** Resolves to whether nothing waits any more, on disk neither: a read comes after every write that was issued. */
async function isEmpty() {
  if (library.stats().queued) return false
  for (const { name } of await indexedDB.databases()) {
    const opening = indexedDB.open(name)
    await new Promise((resolve) => (opening.onsuccess = resolve))
    const counting = opening.result.transaction('waymark').objectStore('waymark').count()
    await new Promise((resolve) => (counting.onsuccess = resolve))
    opening.result.close()
  }
  return true
}

window.ledger = {
  isEmpty,
  page: plan.round,
  track,
  returns: () => bfcacheReturns,
  stats: () => library.stats(),
  drops: [],
}

const hang = () => new Proxy({}, { get: () => () => ({}) })
if (plan.indexedDb === 'hangs') Object.defineProperty(window, 'indexedDB', { value: hang() })

library.init(plan.key, { endpoint: plan.endpoint, environment: 'production', ...plan.config })
library.on('drop', (drop) => window.ledger.drops.push(drop))

const start = () => after(0, acts[plan.act])
if (document.readyState === 'complete') start()
else addEventListener('load', start)
