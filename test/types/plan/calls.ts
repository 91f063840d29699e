// Never run: with a registered plan `tsc` has to accept what is plain here, and to refuse every line that is marked.
import { createWaymark, waymark, type Waymark } from 'waymark'
import { createWaymark as createServer } from 'waymark/node'
import { useTrack, useWaymark, WaymarkProvider } from 'waymark/react'
import { createTrackAction, getWaymark, setWaymark } from 'waymark/svelte'
import * as vue from 'waymark/vue'

waymark.track('Order Completed', { total: 9.5 })
waymark.track('Order Completed', { total: 9.5, coupon: 'spring' }, { insertId: 'order-1' })
waymark.track('Search Used', { query: 'tarn', hits: 3 })
waymark.track('Map Viewed', { slug: 'elderwood' })
waymark.track('Signed Up', {
  plan: 'pro',
  invited_by: null,
  trial_ends: new Date(),
  steps: [1, 2],
  source: { name: 'mail' },
})
waymark.track('Form Filled', { form: 'contact', seconds: 12 })
waymark.track('Signed Out')
waymark.track('Page Printed')
waymark.track('Page Printed', {})

// @ts-expect-error not in the plan
waymark.track('Order Complete', { total: 9.5 })
// @ts-expect-error zod: a text where a number is
waymark.track('Order Completed', { total: '9.5' })
// @ts-expect-error zod: all properties are missing
waymark.track('Order Completed')
// @ts-expect-error zod: a property that is not in the plan
waymark.track('Order Completed', { total: 9.5, currency: 'EUR' })
// @ts-expect-error valibot: a property is missing
waymark.track('Search Used', { hits: 3 })
// @ts-expect-error valibot: a text where a number is
waymark.track('Search Used', { query: 'tarn', hits: 'many' })
// @ts-expect-error arktype: a number where a text is
waymark.track('Map Viewed', { slug: 1 })
// @ts-expect-error arktype: a text where a number is
waymark.track('Map Viewed', { slug: 'elderwood', zoom: 'near' })
// @ts-expect-error JSON Schema: none of the values
waymark.track('Signed Up', { plan: 'gold' })
// @ts-expect-error JSON Schema: a required property is missing
waymark.track('Signed Up', { steps: [] })
// @ts-expect-error JSON Schema: neither a text nor null
waymark.track('Signed Up', { plan: 'pro', invited_by: 7 })
// @ts-expect-error JSON Schema: no moment
waymark.track('Signed Up', { plan: 'pro', trial_ends: 7 })
// @ts-expect-error JSON Schema: an item of the wrong type
waymark.track('Signed Up', { plan: 'pro', steps: ['one'] })
// @ts-expect-error JSON Schema: another value inside an object
waymark.track('Signed Up', { plan: 'pro', source: { name: 'post' } })
// @ts-expect-error JSON Schema: a property that is not in the plan
waymark.track('Signed Up', { plan: 'pro', seats: 3 })
// @ts-expect-error JSON Schema: what is listed is checked where more is allowed
waymark.track('Form Filled', { form: 1 })
// @ts-expect-error an empty schema has no properties
waymark.track('Signed Out', { reason: 'bored' })
// @ts-expect-error an empty object of zod has none either
waymark.track('Page Printed', { copies: 2 })

// Traits are merged, so none has to be given.
waymark.identify('u_1')
waymark.identify('u_1', { email: 'ada@example.com' })
waymark.updateTraits({ seats: 3 })
// @ts-expect-error a trait of the wrong type
waymark.identify('u_1', { seats: 'three' })
// @ts-expect-error a trait that is not in the plan
waymark.updateTraits({ age: 40 })

// Every instance, and every way to one, has the plan.
const own: Waymark = createWaymark().init('pk_1', { endpoint: '/w' })
own.track('Map Viewed', { slug: 'elderwood' })
// @ts-expect-error not in the plan
own.track('Map Seen', { slug: 'elderwood' })
// @ts-expect-error not in the plan
useTrack()('Map Seen', { slug: 'elderwood' })
// @ts-expect-error a property is missing
useWaymark().track('Map Viewed', {})
// @ts-expect-error not in the plan
vue.useTrack()('Map Seen')
// @ts-expect-error a trait of the wrong type
vue.useWaymark().identify('u_1', { seats: 'three' })
// @ts-expect-error not in the plan
getWaymark().track('Map Seen')
// @ts-expect-error not in the plan
setWaymark().track('Map Seen')
useTrack()('Signed Out')
vue.useTrack()('Signed Out')
WaymarkProvider({ waymark: own })
vue.waymarkPlugin({ waymark: own })

declare const link: Element
const action = createTrackAction(getWaymark())
action(link, { event: 'Signed Up', properties: { plan: 'free' }, on: 'focus' })
action(link, { event: 'Signed Out' })
// @ts-expect-error not in the plan
action(link, { event: 'Signed Off' })
// @ts-expect-error the properties are missing
action(link, { event: 'Signed Up' })

const visitor = createServer({ apiKey: 'sk_1', endpoint: 'https://api.test' }).forUser('u_1')
visitor.track('Order Completed', { total: 9.5 })
visitor.updateTraits({ seats: 3 })
// @ts-expect-error not in the plan
visitor.track('Invoice Paid', { total: 9.5 })
// @ts-expect-error a trait of the wrong type
visitor.identify('u_1', { seats: 'three' })

// Types of an instance's own come before the plan.
createWaymark<{ 'Game Won': { points: number } }>().track('Game Won', { points: 3 })
