// Serves the page, passes on what pages send to /w, and tracks what only a server knows.
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { createWaymark } from 'waymark/node'

const service = 'http://127.0.0.1:8787'
const paths = /^\/w\/(track|identify|alias|anonymous|ids|waymark\.[a-z0-9.-]+)(\?|$)/
const page = new URL('index.html', import.meta.url)
const waymark = createWaymark({ apiKey: 'sk_your_key', endpoint: service, dir: 'waymark' })

/** What a visitor asks for: the same person and the same session as in the page. */
function placeOrder(asked) {
  // Who is signed in, your own login knows.
  const visitor = waymark.forRequest(asked, { userId: 'u_1' })
  visitor.identify('u_1', { plan: 'pro' })
  visitor.track('Order Placed', { total: 99.5 })
}

/** What another server tells, with the user's id alone: the same person. It is confirmed once it is on the disk. */
async function hearOfPayment() {
  waymark.forUser('u_1').track('Order Paid', { total: 99.5 })
  return waymark.saved()
}

function passOn(asked, answer) {
  // The service needs none of the page's cookies, and sees the visitor's address only here.
  const { cookie: _cookie, ...headers } = asked.headers
  headers['x-forwarded-for'] = asked.socket.remoteAddress
  const onward = request(service + asked.url, { method: asked.method, headers }, (reply) => {
    answer.writeHead(reply.statusCode, reply.headers)
    reply.pipe(answer)
  })
  // The library keeps what is not accepted, and sends it again.
  onward.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()))
  asked.pipe(onward)
}

const server = createServer(async (asked, answer) => {
  if (paths.test(asked.url)) return passOn(asked, answer)
  if (asked.method === 'POST') {
    if (asked.url === '/order') placeOrder(asked)
    const isDone = asked.url !== '/webhook' || (await hearOfPayment())
    return answer.writeHead(isDone ? 204 : 503).end()
  }
  answer.setHeader('content-type', 'text/html; charset=utf-8')
  answer.end(await readFile(page))
})
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
)
