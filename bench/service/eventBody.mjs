import { randomBytes, randomUUID } from 'node:crypto'

export const perBatch = 20
const event = (n) => ({
  environment: 'production',
  event: 'Product Viewed',
  distinct_id: `user-${n % 5000}`,
  anonymous_id: `anonymous-${n % 5000}`,
  device_id: 'device-abcdefghijklmnopqrstu',
  session_id: 'session-abcdefghijklmnopqrst',
  timestamp: '2026-11-21T03:04:05.123Z',
  properties: {
    insert_id: `id-${n}-abcdefghijkl`,
    $url: `https://shop.example/products/${n}`,
    $referer: 'https://shop.example/',
    $lib: 'waymark',
    $viewport: '1280x720',
    browser_time_zone: 'Europe/Vienna',
    price: 12.5,
    colour: 'red',
  },
})
// Made as they are needed, from one template, so that making them costs the generator little.
const template = JSON.stringify(event(7_777_777))
/** The n-th batch. */
export const eventBody = (n) => {
  const rows = Array.from({ length: perBatch }, (_, at) =>
    template.replaceAll('7777777', String(n * perBatch + at)),
  )
  return `[${rows.join(',')}]`
}

const randomId = () => randomBytes(15).toString('base64url')
/** A batch whose ids are as random as a browser's, which costs the generator more and compresses less. */
export const variedBody = () => {
  const visits = Array.from({ length: 4 }, () => ({
    anonymous_id: randomUUID(),
    device_id: randomId(),
    session_id: randomId(),
  }))
  const rows = Array.from({ length: perBatch }, (_, at) => {
    const number = Math.floor(Math.random() * 10_000)
    const { properties, ...rest } = event(number)
    const more = { insert_id: randomId(), price: number / 100, colour: ['red', 'blue'][number % 2] }
    const timestamp = new Date(Date.now() - number).toISOString()
    return { ...rest, ...visits[at % 4], timestamp, properties: { ...properties, ...more } }
  })
  return JSON.stringify(rows)
}
