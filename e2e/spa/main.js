// A small single-page application, written as a user of the npm package would: bundled by the test from the packed
// tarball.
import { createWaymark, waymark } from 'waymark'

const { endpoint, key } = document.querySelector('#app').dataset

waymark.track('Before Init', { early: true })
waymark.init(key, { endpoint, release: '2.1.0', batch: { intervalMs: 300 } })
// A second start with the same key is nothing special in an application that mounts twice.
waymark.init(key, { endpoint })
const second = createWaymark().init(key, { endpoint, environment: 'staging', batch: { intervalMs: 300 } })

const show = () => {
  document.querySelector('#where').textContent = location.pathname
  waymark.page({ route: location.pathname })
}
for (const link of document.querySelectorAll('a'))
  link.addEventListener('click', (event) => {
    event.preventDefault()
    history.pushState(null, '', link.href)
    show()
  })
document.querySelector('button').addEventListener('click', async () => {
  const { outcome } = waymark.track('Saved', { words: 12n, when: new Date(0) })
  second.track('Saved Elsewhere')
  document.querySelector('output').textContent = (await outcome).status
})
addEventListener('popstate', show)
show()
