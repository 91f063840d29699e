import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../scripts/setup/freePort.mjs'
import { createForward, readBody } from './createForward.mjs'

/**
 * @typedef {object} Arrival one payload in one request, as the page sent it
 * @property {string} id the ledger's own id of the event
 * @property {string} insertId
 * @property {number} at Unix milliseconds
 * @property {number} trackedAt when the page called `track`
 * @property {boolean} passed whether the service got it
 */

/** @param {Buffer} body @returns {any[]} */
function readPayloads(body) {
  try {
    return [JSON.parse(body.toString())].flat()
  } catch {
    return []
  }
}

/** @param {string} origin */
const echoOrigin = (origin) => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Allow-Credentials': 'true',
  'Access-Control-Expose-Headers': 'Retry-After, Access-Control-Allow-Credentials',
  Vary: 'Origin',
})

/** @param {import('node:http').IncomingHttpHeaders} headers */
function forAnyOrigin(headers) {
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(access-control-allow-(origin|credentials)|vary)$/.test(name),
  )
  return { ...Object.fromEntries(kept), 'access-control-allow-origin': '*' }
}

/**
 * Stands between page and service: counts what arrives and plays faults.
 * @param {string} serviceUrl
 */
export async function createFaultProxy(serviceUrl) {
  const { forward, close } = createForward(serviceUrl)
  /** @type {Arrival[]} */
  const arrivals = []
  /** @type {{ at: number, fault: string, payloads: number }[]} */
  const requests = []
  /** @type {import('./faults.mjs').Fault | undefined} */
  let fault

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  const handle = async (request, response) => {
    const body = await readBody(request)
    const playing = fault
    const isPost = request.method === 'POST'
    const payloads = isPost ? readPayloads(body) : []
    const answer = isPost ? playing?.answer?.(payloads) : undefined
    if (isPost) {
      const at = Date.now()
      requests.push({ at, fault: playing?.name ?? '', payloads: payloads.length })
      for (const { properties } of payloads) {
        const { ledger_id: id, ledger_at: trackedAt, insert_id: insertId } = properties ?? {}
        // A sign-in is no event.
        if (id === undefined) continue
        arrivals.push({ id, insertId, at, trackedAt, passed: !answer && !playing?.awayMs })
      }
    }
    if (answer) {
      response.writeHead(answer.status, { ...echoOrigin(request.headers.origin ?? '*'), ...answer.headers })
      response.end(answer.body)
      return
    }
    if (playing?.awayMs) {
      await sleep(playing.awayMs, undefined, { ref: false })
      request.socket.destroy()
      return
    }
    if (playing?.delayMs && isPost) await sleep(playing.delayMs)
    const real = await forward(request, body)
    if (playing?.holdMs !== undefined && isPost) {
      await sleep(playing.holdMs, undefined, { ref: false })
      request.socket.destroy()
      return
    }
    response.writeHead(real.status, playing?.anyOrigin ? forAnyOrigin(real.headers) : real.headers)
    response.end(real.body)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  // Nobody else gets it while connections are refused.
  const port = await freePort()
  const accept = async () => {
    if (server.listening) return
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await accept()

  /** Nobody listens any more: connections are refused, open ones are cut. */
  const refuse = () =>
    new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    })

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    arrivals,
    requests,
    /** @param {import('./faults.mjs').Fault} [next] none ends the fault */
    play(next) {
      fault = next
      // Chromium sends a request again that fails on a connection which has served before.
      if (next?.awayMs) server.closeIdleConnections()
    },
    refuse,
    /** Listens again, on the same port. */
    accept,
    async close() {
      if (server.listening) await refuse()
      close()
    },
  }
}

/** @typedef {Awaited<ReturnType<typeof createFaultProxy>>} FaultProxy */
