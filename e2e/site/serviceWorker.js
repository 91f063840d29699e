import { createWaymark } from '../../dist/worker.js'

const endpoint = new URL(location.href).searchParams.get('endpoint')
const waymark = createWaymark({ url: new URL('/', location.href).href }).init('test-key', { endpoint })

// Each message is an event; it lives until the event was accepted.
addEventListener('message', (event) => {
  const { outcome } = waymark.track(event.data)
  event.waitUntil(
    waymark
      .flush()
      .then(() => outcome)
      .then((now) => event.source.postMessage(now.status)),
  )
})
