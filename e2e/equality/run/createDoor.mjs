import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createForward, readBody } from '../../ledger/serve/createForward.mjs'
import { kindOf } from '../people/kinds.mjs'

const shopper = readFileSync(new URL('../page/shopper.js', import.meta.url))
const dist = new URL('../../../dist/', import.meta.url)

/** Ports that doors have had: at one of them, a device would find the storage of another door. @type {Set<number>} */
const ports = new Set()

/** @param {string} text */
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll("'", '&#39;')

/** The library as a site serves it: what stands in `dist/` for script tags, by path. */
export function readLibrary() {
  const names = readdirSync(dist).filter((name) => /^waymark\..*\.js$/.test(name))
  return new Map(names.map((name) => [`/${name}`, readFileSync(new URL(name, dist))]))
}

/**
 * One device's door: the site for this device alone, at an origin of its own, so with a storage of its own; and the way
 * to the service. It notes how many requests pass, and never looks into them: whose an event is the script knows.
 * @param {object} parts
 * @param {string} parts.serviceUrl
 * @param {string} parts.apiKey
 * @param {import('../types').Device} parts.device
 * @param {Map<string, Buffer>} parts.library
 */
export async function createDoor({ serviceUrl, apiKey, device, library }) {
  const { forward, close } = createForward(serviceUrl)
  const { consent, gpc, isCrossOrigin, hasCampaign } = device
  const { userAgent, languages, timeZone, width } = kindOf(device.id)
  /** What holds now. */
  const state = { clock: 0, isOnline: true, isKnown: false, wasKilled: false }
  const passed = { requests: 0, failed: 0 }

  /** @param {URL} url */
  const toHtml = ({ searchParams, port }) => {
    const { isKnown, wasKilled } = state
    const page = {
      step: searchParams.get('step'),
      timeZone,
      width,
      gpc,
      isOnline: !isKnown,
      wasKilled,
    }
    const config = JSON.stringify({ consent })
    const endpoint = isCrossOrigin ? `http://localhost:${port}/w` : '/w'
    return `<!doctype html><meta charset="utf-8"><title>Shop</title>
      <script src="/shopper.js" data-page='${escape(JSON.stringify(page))}'></script>
      <script async src="/waymark.iife.js" data-api-key="${apiKey}" data-endpoint="${endpoint}"
        data-pageviews ${hasCampaign ? 'data-plugins="campaign"' : ''} data-config='${config}'></script>`
  }

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  const handle = async (request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    const isPost = request.method === 'POST'
    if (url.pathname.startsWith('/w/')) {
      const body = await readBody(request)
      if (!state.isOnline) {
        if (isPost || request.method === 'OPTIONS') passed.failed++
        request.socket.destroy()
        return
      }
      if (isPost) passed.requests++
      // Every engine stands for all kinds of devices here. The brands that Chromium names besides are its own.
      Object.assign(request.headers, { 'user-agent': userAgent, 'accept-language': languages })
      delete request.headers['sec-ch-ua']
      const answer = await forward(request, body, url.pathname.slice(2) + url.search)
      response.writeHead(answer.status, answer.headers).end(answer.body)
      return
    }
    const file = url.pathname === '/shopper.js' ? shopper : library.get(url.pathname)
    if (file) response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(file)
    else if (url.pathname === '/clock')
      response.writeHead(200, { 'Cache-Control': 'no-store' }).end(String(state.clock))
    else if (url.pathname === '/favicon.ico') response.writeHead(404).end()
    else response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(toHtml(url))
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  const listen = async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return /** @type {import('node:net').AddressInfo} */ (server.address()).port
  }
  let port = await listen()
  while (ports.has(port)) {
    await once(server.close(), 'close')
    port = await listen()
  }
  ports.add(port)

  return {
    state,
    passed,
    /** @param {string} step @param {import('../types').Place} place */
    urlOf(step, { path, utm = {} }) {
      const url = new URL(path, `http://127.0.0.1:${port}`)
      for (const [name, value] of Object.entries(utm)) url.searchParams.set(`utm_${name}`, value)
      // The library cuts it off: it is none of the parameters that may leave the page.
      url.searchParams.set('step', step)
      return url.href
    },
    close: () =>
      new Promise((resolve) => {
        close()
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}

/** @typedef {Awaited<ReturnType<typeof createDoor>>} Door */
