import type { IncomingMessage } from 'node:http'
import { readCookies, writeCookie } from '../http/headers.js'
import { refuse } from '../http/HttpError.js'
import { bodyReader } from '../http/readJson.js'
import type { Reply, Route } from '../http/Route.js'

export const idsPath = '/ids'

/** A proxy should pass on this cookie and no other cookie of the page. */
const cookieName = 'waymark_ids'

/** Browsers keep a cookie for 400 days at most. */
const maxAgeSeconds = 400 * 86_400
const maxBodyBytes = 4096

interface Ids {
  device_id: string | null
  anonymous_id: string | null
}

const none: Ids = { device_id: null, anonymous_id: null }

const id = { type: 'string', minLength: 1, maxLength: 400 }
const readIds = bodyReader<Ids>(
  {
    type: 'object',
    required: ['device_id', 'anonymous_id'],
    properties: { device_id: id, anonymous_id: id },
  },
  maxBodyBytes,
)

const readValue = (value: string): Ids | undefined => {
  const parts = value.split(':')
  if (parts.length !== 2) return undefined
  try {
    const [device, anonymous] = parts.map(decodeURIComponent)
    return device && anonymous ? { device_id: device, anonymous_id: anonymous } : undefined
  } catch {
    // The cookie is from another program of the host, or cut off.
    return undefined
  }
}

const readIdCookie = (request: IncomingMessage): Ids =>
  readCookies(request, cookieName)
    .map(readValue)
    .find((ids) => ids !== undefined) ?? none

const reply = (
  request: IncomingMessage,
  ids: Ids,
  cookie?: { value: string; maxAgeSeconds: number },
): Reply => ({
  status: 200,
  body: ids,
  headers: {
    'cache-control': 'no-store',
    ...(cookie && {
      'set-cookie': writeCookie(request, { ...cookie, name: cookieName, sameSite: 'Lax' }),
    }),
  },
})

const route = (method: Route['method'], handle: (request: IncomingMessage) => Promise<Reply>): Route => ({
  method,
  path: idsPath,
  handle: ({ request }) => handle(request),
})

/**
 * These routes keep two ids in a cookie that scripts of the page cannot read: Safari forgets cookies that scripts write
 * after seven days. The service stores nothing and gives back what the browser has sent.
 */
export const idsRoutes: readonly Route[] = [
  route('GET', async (request) => reply(request, readIdCookie(request))),
  route('POST', async (request) => {
    // With another type a page of any site could send it without a preflight.
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
      throw refuse(400, 'invalid-headers', 'Content-Type must be application/json.')
    const { device_id, anonymous_id } = await readIds(request)
    const value = [device_id, anonymous_id].map((each) => encodeURIComponent(each!)).join(':')
    return reply(request, { device_id, anonymous_id }, { value, maxAgeSeconds })
  }),
  route('DELETE', async (request) => reply(request, none, { value: '', maxAgeSeconds: 0 })),
]
