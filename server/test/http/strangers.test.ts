import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { apiKey, basic, createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'
import { eventually } from '../fixtures/eventually.js'

const service = useService({ headersWithinMs: 300 })

const open = async (url = service.url): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** An error is one way to be hung up on. */
const whenClosed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve()
    else socket.once('close', () => resolve())
  })

/** All that a socket receives until it is closed. */
const readAll = async (socket: Socket): Promise<string> => {
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await whenClosed(socket)
  return text
}

describe('a client without a key', () => {
  const chunk = Buffer.alloc(1_048_576, 0x20)
  const mostMiB = 64

  it.each([
    ['/track', 401],
    ['/append?catalog=lakehouse&schema=main&table=t', 401],
    ['/upload?catalog=lakehouse&schema=main&table=t&mode=create&format=csv', 401],
    ['/query', 401],
    ['/nothing', 404],
  ])('is hung up on while it sends a large body to %s, after its answer', async (path, status) => {
    const socket = await open()
    const answer = readAll(socket)
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${mostMiB * chunk.length}\r\n\r\n`)
    let sentMiB = 0
    for (; sentMiB < mostMiB && socket.writable; sentMiB++) {
      const drained = new Promise<void>((resolve) => socket.once('drain', () => resolve()))
      if (!socket.write(chunk)) await Promise.race([drained, whenClosed(socket)])
    }
    expect(await answer).toContain(`HTTP/1.1 ${status} `)
    expect(sentMiB).toBeLessThan(mostMiB)
  })

  it('keeps its connection when its body is small', async () => {
    const socket = await open()
    const body = JSON.stringify(event('small'))
    const post = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    socket.write(post('/track?apiKey=wrong'))
    const [first] = (await once(socket, 'data')) as [Buffer]
    expect(first.toString()).toContain('HTTP/1.1 401 ')
    socket.write(post(`/track?apiKey=${apiKey}`))
    const [second] = (await once(socket, 'data')) as [Buffer]
    expect(second.toString()).toContain('HTTP/1.1 200 ')
    socket.destroy()
  })

  it('is hung up on when its headers do not end', async () => {
    const socket = await open()
    socket.write('POST /track HTTP/1.1\r\nHost: x\r\n')
    expect(await readAll(socket)).toContain('HTTP/1.1 408 ')
  })

  it('is told in one sentence when it does not speak HTTP', async () => {
    const socket = await open()
    socket.write('HELLO\r\n\r\n')
    const answer = await readAll(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer.split('\r\n\r\n')[1]).toBe(
      '{"error":"invalid-request","message":"This cannot be read as HTTP."}',
    )
  })

  it('gets nothing between the lines of an answer that has begun', async () => {
    const socket = await open()
    const answer = readAll(socket)
    const statement = encodeURIComponent('SELECT range FROM range(3000000)')
    const head = `Host: x\r\nAuthorization: ${basic}\r\n`
    socket.write(`GET /query?format=jsonl&statement=${statement} HTTP/1.1\r\n${head}\r\n`)
    await once(socket, 'data')
    socket.write('HELLO\r\n\r\n')
    expect(await answer).not.toContain('cannot be read')
  })

  it('has no more connections than one address may, and another one once these are closed', async () => {
    const full = await createService({ maxConnections: 30, maxConnectionsPerAddress: 20 })
    try {
      const sockets = await Promise.all(Array.from({ length: 25 }, () => open(full.url)))
      for (const socket of sockets) socket.resume()
      const isClosed = (socket: Socket) => socket.closed
      await eventually(() => expect(sockets.filter(isClosed)).toHaveLength(5))
      const isServed = async (socket: Socket) => {
        socket.write('GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
        return (await readAll(socket)).includes('HTTP/1.1 404 ')
      }
      expect(await isServed(sockets.find((socket) => !socket.closed)!)).toBe(true)

      for (const socket of sockets) socket.destroy()
      await eventually(async () => expect(await isServed(await open(full.url))).toBe(true))
    } finally {
      await full.close()
    }
  })
})
