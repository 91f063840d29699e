import { perBatch } from './eventBody.mjs'

/** Users at most. */
export const ids = 50_000
const pick = () => Math.floor(Math.random() * ids)
const many = (make) => JSON.stringify(Array.from({ length: perBatch }, make))
const environment = 'production'

/** Ten of a hundred requests identify, two merge; the others carry events of the same ids. */
export const mixedRequest = (n) => {
  const share = n % 50
  if (share < 5) {
    const identify = () => {
      const id = pick()
      const traits = { plan: 'pro', email: `user-${id}@shop.example` }
      return { environment, distinct_id: `user-${id}`, anonymous_id: `anonymous-${id}`, traits }
    }
    return ['/identify', many(identify)]
  }
  if (share === 5) {
    const merge = () => {
      const id = pick()
      return { environment, distinct_id: `old-${id}`, new_user_id: `user-${id}` }
    }
    return ['/alias', many(merge)]
  }
  return ['/track', many((_, at) => event(n * perBatch + at))]
}

const event = (n) => {
  const id = pick()
  const properties = { insert_id: `id-${n}-abcdefghijkl`, $url: `https://shop.example/${n}`, price: 12.5 }
  const timestamp = '2026-11-21T03:04:05.123Z'
  return {
    environment,
    event: 'Product Viewed',
    distinct_id: `user-${id}`,
    anonymous_id: `anonymous-${id}`,
    timestamp,
    properties,
  }
}
