import { Agent, request as ask } from 'node:http'

/** @param {import('node:http').IncomingMessage} message @returns {Promise<Buffer>} */
export async function readBody(message) {
  const chunks = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * Passes requests on to the service, as they came.
 * @param {string} serviceUrl
 */
export function createForward(serviceUrl) {
  const agent = new Agent({ keepAlive: true })
  return {
    /**
     * @param {import('node:http').IncomingMessage} request
     * @param {Buffer} body
     * @param {string} [path] another than the request's own
     * @returns {Promise<{ status: number, headers: import('node:http').IncomingHttpHeaders, body: Buffer }>}
     */
    forward: ({ method, headers, url }, body, path = url ?? '/') =>
      new Promise((resolve, reject) => {
        const outgoing = ask(new URL(path, serviceUrl), { method, headers, agent }, (answer) => {
          readBody(answer).then(
            (text) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: text }),
            reject,
          )
        })
        outgoing.on('error', reject)
        outgoing.end(body)
      }),
    close: () => agent.destroy(),
  }
}
