import { lakehouseError } from '../http/HttpError.js'
import type { Exchange, Route } from '../http/Route.js'

/** What a person opens who has seen the service's address printed. */
export const frontPath = '/'

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>waymark-server</title>
  </head>
  <body>
    <main>
      <h1>waymark-server is running</h1>
      <p>This is the address that waymark sends events to. There is nothing to look at here: it is for programs.</p>
      <dl>
        <dt><code>POST /track</code>, <code>/identify</code>, <code>/alias</code></dt>
        <dd>take events and users from pages, with an API key.</dd>
        <dt><code>POST /query</code></dt>
        <dd>answers SQL over <code>events</code> and <code>persons</code>, with a user and a password.</dd>
      </dl>
      <p>
        Every path, table and limit is in <code>docs/service.md</code> of waymark, queries to begin with are in
        <code>docs/sql.md</code>.
      </p>
    </main>
  </body>
</html>
`

const handle = ({ request, response }: Exchange) => {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(page),
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    'x-content-type-options': 'nosniff',
  })
  response.end(request.method === 'HEAD' ? undefined : page)
  return Promise.resolve(undefined)
}

export const frontRoutes = (): Route[] =>
  (['GET', 'HEAD'] as const).map((method) => ({
    method,
    path: frontPath,
    handle,
    writeError: lakehouseError,
  }))
