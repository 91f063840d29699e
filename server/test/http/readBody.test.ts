import { once } from 'node:events'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, it } from 'vitest'
import { lakehouseError } from '../../src/http/HttpError.js'
import { readBody } from '../../src/http/readBody.js'
import { type RoutesServer, serveRoutes } from '../fixtures/serveRoutes.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

let server: RoutesServer
afterEach(() => server.close())

/** A route that reads its body and is answered with its length, and a connection to it. */
const open = async (onRead: () => Promise<void> = () => Promise.resolve()) => {
  server = await serveRoutes([
    {
      method: 'POST',
      path: '/read/{holder}',
      writeError: lakehouseError,
      async handle({ request, parameters }) {
        const body = await readBody(request, 2 ** 24, { holder: parameters[0] ?? '' })
        await onRead()
        return { status: 200, body: [body.length, body.toString('latin1', 0, 3)] }
      },
    },
  ])
  return async () => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
}

const head = (holder: string, more = 'Transfer-Encoding: chunked') =>
  `POST /read/${holder} HTTP/1.1\r\nHost: x\r\n${more}\r\n\r\n`

it('holds little more than the bytes of a body that comes in chunks of one byte', async () => {
  const held = () => {
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  let most = Infinity
  const connectTo = await open(() => Promise.resolve(void (most = held() - before)))
  const socket = await connectTo()
  const some = '1\r\na\r\n'.repeat(10_000)
  const before = held()
  socket.write(head('a'))
  for (let at = 0; at < 20; at++) socket.write(some)
  socket.write('0\r\n\r\n')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toContain('[200000,"aaa"]')
  expect(most).toBeLessThan(8 * 2 ** 20)
})

it('puts a body together from chunks of any size', async () => {
  const socket = await (await open())()
  socket.write(head('a'))
  for (const size of [1, 70_000, 2, 500_000, 3])
    socket.write(`${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`)
  socket.write('0\r\n\r\n')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toContain('[570006,"xxx"]')
})

it('has room for 32 MiB of one holder on whatever route, until they are answered', async () => {
  let letGo = () => {}
  const held = new Promise<void>((resolve) => (letGo = resolve))
  const connectTo = await open(() => held)
  const bytes = 12 * 2 ** 20
  const send = async (holder: string, size: number) => {
    const socket = (await connectTo()).on('error', () => undefined)
    let told = ''
    socket.on('data', (chunk: Buffer) => (told += chunk.toString()))
    socket.write(head(holder, `Content-Length: ${size}\r\nConnection: close`))
    socket.write(Buffer.alloc(size, 'y'))
    return new Promise<string>((resolve) => socket.once('close', () => resolve(told)))
  }
  const two = [send('a', bytes), send('a', bytes)]
  // A third is refused while the first two are held, whichever comes last.
  expect(await Promise.race([...two, send('a', bytes)])).toContain('503')
  const others = [send('b', bytes), send('a', 1000)]
  letGo()
  for (const answer of await Promise.all(others)) expect(answer).toContain('200 OK')
  expect(await send('a', bytes)).toContain('200 OK')
})
