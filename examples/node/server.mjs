// Serves the page, and passes on what pages send to /w.
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'

const service = 'http://127.0.0.1:8787'
const paths = /^\/w\/(track|identify|alias|anonymous|ids|waymark\.[a-z0-9.-]+)(\?|$)/
const page = new URL('index.html', import.meta.url)

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
  answer.setHeader('content-type', 'text/html; charset=utf-8')
  answer.end(await readFile(page))
})
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
)
