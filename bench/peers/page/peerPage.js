/* Runs in the page of a peer: starts it, times it, and acts for the delivery scenarios. */
const plan = JSON.parse(new URLSearchParams(location.search).get('plan'))
const event = (index) => ({
  product: `product-${index % 50}`,
  price: 12.5,
  currency: 'EUR',
  position: index,
  in_stock: true,
})
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
/** A task of its own, without the four milliseconds that nested timers wait. */
const nextTask = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', resolve, { once: true })
    port1.start()
    port2.postMessage(0)
  })

let tracked = 0
/** An id in the properties tells at the sink which event of which scenario this is. */
const track = (properties, id = `${plan.peer}/${plan.scenario}/${plan.round}/${tracked}`) => {
  tracked++
  window.peer.track('Product Viewed', { ...properties, ledger_id: id })
}

/** The control: the same page without a library. */
window.peer ??= { start() {}, track() {} }

const longTasks = []
new PerformanceObserver((list) =>
  longTasks.push(...list.getEntries().map(({ duration }) => duration)),
).observe({
  type: 'longtask',
})

window.bench = {
  /** Resolves when the library says that it is ready, to what its script and its `init` took. */
  async start() {
    const from = performance.now()
    const ready = window.peer.start(plan.endpoint)
    const initMs = performance.now() - from
    await Promise.race([ready, sleep(5000)])
    return { evaluateMs: window.evaluateMs ?? 0, initMs }
  },

  /** Microseconds a call in bursts of one task each: the calls alone, and until the next task can run. */
  async bursts(count, size, gapMs) {
    const found = []
    for (let burst = 0; burst < count; burst++) {
      await nextTask()
      const from = performance.now()
      for (let index = 0; index < size; index++) track(event(index))
      const callUs = ((performance.now() - from) / size) * 1000
      await nextTask()
      found.push({ callUs, taskUs: ((performance.now() - from) / size) * 1000 })
      await sleep(gapMs)
    }
    return found
  },

  /** One event in each of so many tasks; resolves to the long tasks of that time. */
  async spread(count, everyMs) {
    longTasks.length = 0
    for (let index = 0; index < count; index++) {
      track(event(index))
      await nextTask()
      await sleep(everyMs)
    }
    return [...longTasks]
  },

  /** Many calls in one task; then the longest time that nothing else could run. */
  async flood(count, watchMs) {
    const from = performance.now()
    for (let index = 0; index < count; index++) track(event(index))
    const callMs = performance.now() - from
    let last = performance.now()
    const until = last + watchMs
    let longestMs = 0
    while (last < until) {
      await nextTask()
      const now = performance.now()
      longestMs = Math.max(longestMs, now - last)
      last = now
    }
    return { callMs, longestMs }
  },

  /** Microseconds of each of many calls in one task: the median, and what one in a hundred takes at least. */
  each(count) {
    const found = new Float64Array(count)
    for (let index = 0; index < count; index++) {
      const from = performance.now()
      track(event(index))
      found[index] = (performance.now() - from) * 1000
    }
    found.sort()
    return { p50Us: found[count * 0.5], p99Us: found[count * 0.99] }
  },

  /** JavaScript heap in bytes after a collection; Chromium is started with what this needs. */
  async heap() {
    for (let turn = 0; turn < 3; turn++) {
      window.gc()
      await sleep(50)
    }
    return performance.memory.usedJSHeapSize
  },

  /** Keeps the main thread busy, so that its process can be told from the others. */
  spin(ms) {
    const until = performance.now() + ms
    while (performance.now() < until);
  },

  trackMany(count) {
    for (let index = 0; index < count; index++) track({ price: 12.5 })
  },

  /** What the browser tells when it believes that the network is gone, or there. */
  setOnline(isOnline) {
    Object.defineProperty(navigator, 'onLine', { value: isOnline, configurable: true })
    dispatchEvent(new Event(isOnline ? 'online' : 'offline'))
  },

  /** Whether an event of the bench still lies in the storage that survives the page. */
  isStored: () =>
    [localStorage, sessionStorage].some((area) =>
      Object.keys(area).some((key) => area.getItem(key).includes('Product')),
    ),
}

const say = (what) => {
  const said = new URLSearchParams({ what, peer: plan.peer, round: plan.round })
  return fetch(`/say?${said}`, { cache: 'no-store' }).catch(() => {})
}

const acts = {
  /** Does nothing by itself: a driver calls `bench`. */
  stay() {},

  /** The last task of the page tracks, and leaves for the next; a later page of the chain ends it. */
  async leave() {
    if (plan.round === plan.rounds) return say('left')
    await sleep(300)
    window.bench.trackMany(plan.count)
    const next = JSON.stringify({ ...plan, round: plan.round + 1 })
    location.href = `/page?plan=${encodeURIComponent(next)}`
  },

  /** Tracks one event after the other, and waits for what kills it. */
  async tick() {
    await sleep(300)
    for (let index = 0; index < plan.count; index++) {
      window.bench.trackMany(1)
      await sleep(20)
    }
    await sleep(100)
    await say('tracked')
  },
}

if (plan.act) {
  const loaded = new Promise((resolve) => addEventListener('load', resolve, { once: true }))
  window.bench.started = loaded.then(window.bench.start)
  void window.bench.started.then(() => acts[plan.act]())
}
