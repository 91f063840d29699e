import { waymark } from '../waymark'

/** What another server tells, with the user's id alone. It is confirmed once it is on the disk. */
export async function POST() {
  waymark.forUser('u_1').track('Order Paid', { total: 99.5 })
  return new Response(null, { status: (await waymark.saved()) ? 204 : 503 })
}
