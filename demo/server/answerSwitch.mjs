/**
 * @typedef {{ isRunning: () => boolean, set: (running: boolean) => Promise<void> }} Switch
 * @typedef {(status: number, headers: Record<string, string>, body: string) => unknown} Send
 */

const json = { 'content-type': 'application/json', 'cache-control': 'no-store' }

/**
 * `GET` tells whether the service runs, `POST {"running": false}` stops it, `true` starts it.
 * @param {{ request: import('node:http').IncomingMessage, serviceSwitch: Switch, send: Send }} options
 */
export async function answerSwitch({ request, serviceSwitch, send }) {
  const tell = (/** @type {number} */ status) =>
    send(status, json, JSON.stringify({ running: serviceSwitch.isRunning() }))
  if (request.method === 'GET') return tell(200)
  // A page of another site cannot send this type without a preflight, which is not answered here.
  if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json') return tell(400)
  try {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) {
      body += chunk
      if (body.length > 1000) return tell(400)
    }
    await serviceSwitch.set(JSON.parse(body).running === true)
    return tell(200)
  } catch (error) {
    return send(500, json, JSON.stringify({ running: serviceSwitch.isRunning(), message: String(error) }))
  }
}
