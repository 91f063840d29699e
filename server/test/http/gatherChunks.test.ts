import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { createPublicServer, listenAt } from '../../src/http/publicServer.js'

const limits = { maxConnections: 20, maxConnectionsPerAddress: 20, headersWithinMs: 10_000 }
const clients = 6
const bytesOfClient = 60_000

let close = () => {}
afterEach(() => close())

const listen = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const server = createPublicServer(limits, answer)
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  return listenAt(server, { host: '127.0.0.1', port: 0, flag: '--port' })
}

/** Sends these chunks, and gives the body of the answer. */
const send = async (port: number, chunks: readonly string[]): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n')
  socket.write(chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join(''))
  socket.write('0\r\n\r\n')
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(socket, 'close')
  return text.slice(text.indexOf('\r\n\r\n') + 4)
}

it('passes chunks of one byte on together, of one client in each turn of the loop', async () => {
  let [passed, inTurn, mostInTurn] = [0, 0, 0]
  const port = await listen((request, response) => {
    let length = 0
    request.on('data', (chunk: Buffer) => {
      passed++
      inTurn += chunk.length
      length += chunk.length
    })
    request.on('end', () => response.setHeader('content-length', 5).end(String(length)))
  })
  let isOver = false
  const turns = (async () => {
    for (; !isOver; inTurn = 0) {
      await nextTurn()
      mostInTurn = Math.max(mostInTurn, inTurn)
    }
  })()
  const chunks = Array<string>(bytesOfClient).fill('a')
  const answers = await Promise.all(Array.from({ length: clients }, () => send(port, chunks)))
  isOver = true
  await turns
  expect(answers).toEqual(Array<string>(clients).fill(String(bytesOfClient)))
  expect(passed).toBeLessThan(20 * clients)
  // 64 KiB of one connection are 10,923 such chunks.
  expect(mostInTurn).toBeLessThan(16_384)
})

it('keeps the order of small chunks and large ones', async () => {
  const port = await listen((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => response.setHeader('content-length', text.length).end(text))
  })
  const chunks = Array.from({ length: 3000 }, (_, at) =>
    String(at % 10).repeat(at % 700 === 0 ? 2000 : (at % 7) + 1),
  )
  expect(await send(port, chunks)).toBe(chunks.join(''))
})
