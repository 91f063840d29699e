import { createWaymark } from 'waymark/node'

export const waymark = createWaymark({
  apiKey: 'sk_your_key',
  endpoint: 'http://127.0.0.1:8787',
  dir: '.waymark',
})
