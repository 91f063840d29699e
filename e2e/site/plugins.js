import * as vitals from 'web-vitals'
import { createWaymark } from '../../dist/waymark.js'
import { campaign } from '../../dist/campaign.js'
import { clicks } from '../../dist/clicks.js'
import { engagement } from '../../dist/engagement.js'
import { errors } from '../../dist/errors.js'
import { forms } from '../../dist/forms.js'
import { pageviews } from '../../dist/pageviews.js'
import { webVitals } from '../../dist/vitals.js'

const { endpoint } = document.documentElement.dataset
createWaymark().init('test-key', {
  endpoint,
  batch: { intervalMs: 200 },
  plugins: [campaign(), pageviews(), clicks(), forms(), errors(), engagement(), webVitals(vitals)],
})

const at = (selector, type, fn) => document.querySelector(selector).addEventListener(type, fn)
// An application that goes on by itself, and lets nobody hear of it.
at('form', 'submit', (event) => {
  event.preventDefault()
  event.stopImmediatePropagation()
})
at('#away', 'click', (event) => event.preventDefault())
at('#fail', 'click', () => {
  throw new TypeError('not a function')
})
at('#reject', 'click', () => void Promise.reject(new Error('nobody cares')))
