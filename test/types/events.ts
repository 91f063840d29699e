// Never run: `tsc --noEmit` has to accept what is plain here, and to refuse every line that is marked.
import {
  createWaymark,
  waymark,
  type Host,
  type InitConfig,
  type Outcome,
  type Waymark,
} from '../../src/entries/index'

type Events = {
  'Signed Up': { plan: 'free' | 'pro'; invitedBy?: string }
  'Signed Out': {}
  'Order Completed': { total: number; items: { sku: string; count: number }[] }
  'Search Used': { query?: string }
}
interface ShopEvents {
  'Map Viewed': { slug: string }
}

const shop: Waymark<Events> = createWaymark<Events>().init('pk_1', { endpoint: 'https://api.test' })

shop.track('Signed Up', { plan: 'pro' })
shop.track('Signed Up', { plan: 'free', invitedBy: 'ann' }, { timestamp: new Date(), insertId: 'i-1' })
shop.track('Signed Out')
shop.track('Signed Out', {})
shop.track('Search Used')
shop.track('Search Used', { query: 'tarn' }, { timestamp: 0 })
shop.track('Order Completed', { total: 1, items: [{ sku: 'a', count: 2 }] })

// @ts-expect-error no event of this name
shop.track('Signed up', { plan: 'pro' })
// @ts-expect-error a property is missing
shop.track('Signed Up', {})
// @ts-expect-error all properties are missing
shop.track('Signed Up')
// @ts-expect-error no plan of this name
shop.track('Signed Up', { plan: 'gold' })
// @ts-expect-error no property of this name
shop.track('Signed Up', { plan: 'pro', price: 10 })
// @ts-expect-error a text where a number is
shop.track('Order Completed', { total: '1', items: [] })
// @ts-expect-error a property of an item is missing
shop.track('Order Completed', { total: 1, items: [{ sku: 'a' }] })
// @ts-expect-error this event has no properties
shop.track('Signed Out', { plan: 'pro' })
// @ts-expect-error an optional property of the wrong type
shop.track('Search Used', { query: 1 })
// @ts-expect-error no option of this name
shop.track('Search Used', {}, { at: 0 })
// @ts-expect-error a name that is known only when it runs may be another
shop.track(String(Math.random()), {})

// An interface does as well as a type.
const maps = createWaymark<ShopEvents>()
maps.track('Map Viewed', { slug: 'elderwood' })
// @ts-expect-error a number where a text is
maps.track('Map Viewed', { slug: 1 })
// @ts-expect-error an event of another instance
maps.track('Signed Out')

// Without a type for the events, every name goes, and every object.
waymark.track('Anything')
waymark.track('Anything', { at: 'all', n: 12n, when: new Date() })
// @ts-expect-error an event has a name
waymark.track()
// @ts-expect-error a name is text
waymark.track(1)
// @ts-expect-error properties are an object
waymark.track('Anything', 'text')

waymark.register({ theme: 'dark' })
// @ts-expect-error properties are an object
waymark.register('dark')
// @ts-expect-error names are texts
waymark.unregister({ theme: 'dark' })
waymark.setConsent('dismissed')
// @ts-expect-error no state of this name
waymark.setConsent('yes')

waymark.on('drop', ({ reason }) => reason === 'too-old')
// @ts-expect-error no signal of this name
waymark.on('dropped', () => {})
// @ts-expect-error no reason of this name
waymark.on('drop', ({ reason }) => reason === 'lost')

const config: InitConfig = { endpoint: 'https://api.test', batch: { intervalMs: 500 } }
waymark.init('pk_1', config)
// @ts-expect-error no endpoint
waymark.init('pk_1')
// @ts-expect-error no endpoint
waymark.init('pk_1', { environment: 'staging' })
waymark.configure({ release: '2' })
// @ts-expect-error `init` alone reads the environment
waymark.configure({ environment: 'staging' })
// @ts-expect-error no option of this name
waymark.init('pk_1', { endpont: 'https://api.test' })
// @ts-expect-error no option of this name in `batch`
waymark.init('pk_1', { endpoint: 'https://api.test', batch: { interval: 500 } })
// @ts-expect-error a text where a number is
waymark.init('pk_1', { endpoint: 'https://api.test', batch: { intervalMs: '500' } })

// What became of an event has to be looked at before its parts are.
export const taskOf = (outcome: Outcome) => (outcome.status === 'accepted' ? outcome.taskId : undefined)
// @ts-expect-error a dropped event has no task
export const wrongTaskOf = (outcome: Outcome) => outcome.taskId

waymark.use({ name: 'clock', start: (host: Host) => void host.track('Tick') })
// @ts-expect-error a plugin does not see the instance
waymark.use({ name: 'clock', start: (host: Host) => void host.identify('ann') })
// @ts-expect-error a plugin has a name
waymark.use({ start() {} })
// @ts-expect-error the ids are read, not written
waymark.ids = {}

// What a page that has the script tag writes.
;(window.waymark ||= []).push(['track', 'Anything', { n: 1 }], ['reset'])
if (!Array.isArray(window.waymark)) window.waymark.track('Anything')
// @ts-expect-error a call begins with its name
window.waymark.push([1])
// @ts-expect-error it may still be an array
window.waymark.track('Anything')
