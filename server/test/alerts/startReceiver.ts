import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { eventually } from '../fixtures/eventually.js'

interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  message: { id: string; kind: string; alert: string; value: number | null; text: string }
}

/** A server that takes the messages of alerts; `answer` says how, and may be changed at any time. */
export const startReceiver = async () => {
  const received: Received[] = []
  const take = (response: ServerResponse) => void response.writeHead(204).end()
  const receiver = {
    received,
    take,
    answer: take as (response: ServerResponse, of: Received) => void,
    url: '',
    host: '',
    of: (alert: string) => received.filter(({ message }) => message.alert === alert),
    /** Resolves with all of an alert's, once there are so many. */
    async whenReceived(alert: string, count: number) {
      await eventually(() => {
        if (receiver.of(alert).length < count)
          throw new Error(`${receiver.of(alert).length} of ${count} messages of ${alert} have arrived.`)
      })
      return receiver.of(alert)
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const message = JSON.parse(body) as Received['message']
      const each = { path: request.url ?? '', headers: request.headers, body, message }
      received.push(each)
      receiver.answer(response, each)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  receiver.url = `http://${receiver.host}/hook`
  return receiver
}
