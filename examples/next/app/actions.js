'use server'

import { headers } from 'next/headers'
import { waymark } from './waymark'

export async function placeOrder() {
  // Who is signed in, your own login knows.
  const visitor = waymark.forRequest({ headers: await headers() }, { userId: 'u_1' })
  visitor.identify('u_1', { plan: 'pro' })
  visitor.track('Order Placed', { total: 99.5 })
}
