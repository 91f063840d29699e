import { createWaymark } from '../../dist/waymark.js'
import { overlay } from '../../dist/overlay.development.js'

const order = {
  $comment: 'plan.ts:12',
  type: 'object',
  properties: { total: { type: 'number' }, currency: { type: 'string' } },
  required: ['total', 'currency'],
}

window.site = createWaymark().init('test-key', {
  endpoint: document.documentElement.dataset.endpoint,
  batch: { intervalMs: 300 },
  plugins: [overlay({ plan: { events: { 'Order Completed': order } } })],
})
