/* Runs in the bench page: starts what is measured, and times it. */
const settings = JSON.parse(new URLSearchParams(location.search).get('plan'))
const event = (index) => ({
  product: `product-${index % 50}`,
  price: 12.5,
  currency: 'EUR',
  position: index,
  in_stock: true,
})
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Timers that the library has running. Counted by name, because a timer of the bench's own is none of them. */
const timers = new Set()
let timersMade = 0
if (settings.watchTimers) {
  for (const name of ['setTimeout', 'setInterval']) {
    const real = window[name]
    window[name] = (fn, ms, ...rest) => {
      const id = real(() => {
        if (name === 'setTimeout') timers.delete(id)
        fn(...rest)
      }, ms)
      timers.add(id)
      timersMade++
      return id
    }
  }
  for (const name of ['clearTimeout', 'clearInterval']) {
    const real = window[name]
    window[name] = (id) => {
      timers.delete(id)
      real(id)
    }
  }
}

const openBare = () =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open('bare', 1)
    request.onupgradeneeded = () => request.result.createObjectStore('events')
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** As many bytes as waymark puts into a payload of this page, so that both store and send the same. */
const common = {
  ids: {
    environment: 'production',
    distinct_id: 'anonymous-V1StGXR8_Z5jdHi6B-myT',
    device_id: 'device-V1StGXR8_Z5jdHi6B-myT',
  },
  always: {
    $lib: 'waymark',
    $lib_version: '0.1.0',
    $url: location.origin + location.pathname,
    $viewport: '1280x720',
  },
}

const starts = {
  waymark: async () => {
    const from = performance.now()
    window.waymark.init('bench', { endpoint: settings.endpoint, ...settings.config })
    window.initMs = performance.now() - from
    await window.waymark.ready()
    return window.waymark.track
  },
  bare: async () => window.bareQueue(`${settings.endpoint}/track`, await openBare(), common),
  nothing: async () => () => {},
}

let track
window.bench = {
  /** Resolves to the milliseconds that the synchronous part of the start took. */
  async start() {
    track = await starts[settings.queue]()
    return window.initMs ?? 0
  },

  /** Bursts of calls in one task each; microseconds a call, the microtask that stores them included. */
  async bursts(count, size, gapMs) {
    const found = []
    for (let burst = 0; burst < count; burst++) {
      const from = performance.now()
      for (let index = 0; index < size; index++) track('Product Viewed', event(index))
      // The queue's own microtask was asked for first, and runs first.
      await Promise.resolve()
      found.push(((performance.now() - from) / size) * 1000)
      await sleep(gapMs)
    }
    return found
  },

  /** One event in each of so many tasks. */
  async spread(count, everyMs) {
    for (let index = 0; index < count; index++) {
      track('Product Viewed', event(index))
      await sleep(everyMs)
    }
  },

  async fill(count) {
    for (let index = 0; index < count; index += 200) {
      for (let more = 0; more < 200; more++) track('Product Viewed', event(index + more))
      await sleep(5)
    }
  },

  /** Many calls in one task, then the longest time that nothing else could run until all of it was delivered. */
  async flood(count, withinMs) {
    const from = performance.now()
    for (let index = 0; index < count; index++) track('Product Viewed', event(index))
    const called = performance.now()
    await Promise.resolve()
    const stored = performance.now()
    let longest = 0
    let last = performance.now()
    const until = last + withinMs
    while (window.waymark.stats().queued && last < until) {
      await new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = resolve
        port2.postMessage(0)
      })
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }
    const { queued, dropped } = window.waymark.stats()
    return {
      callMs: called - from,
      storeMs: stored - called,
      longestMs: longest,
      tookMs: last - stored,
      queued,
      dropped,
    }
  },

  timers: () => ({ running: timers.size, made: timersMade }),

  /** Keeps the main thread busy, so that its process can be told from the others. */
  spin(ms) {
    const until = performance.now() + ms
    while (performance.now() < until);
  },
}
