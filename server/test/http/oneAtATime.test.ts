import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { apiKey, basic } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const open = async (): Promise<Socket> => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

const readAll = async (socket: Socket): Promise<string> => {
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(socket, 'close')
  return text
}

const statusesIn = (text: string) =>
  [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))

const body = JSON.stringify(event('piped'))
const post = (path: string, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`

it.each([
  ['a wrong path', 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n', 404],
  ['events', post(`/track?apiKey=${apiKey}`), 200],
  ['health', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 200],
  [
    'statements',
    `GET /query?statement=SELECT%201 HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic}\r\n\r\n`,
    200,
  ],
])('answers the first of many requests for %s that come together, and hangs up', async (_, one, status) => {
  const socket = await open()
  const answer = readAll(socket)
  socket.write(one.repeat(200))
  expect(statusesIn(await answer)).toEqual([status])
})

it('answers as many as come one after the other', async () => {
  const socket = await open()
  for (let at = 0; at < 5; at++) {
    socket.write(post(`/track?apiKey=${apiKey}`))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(statusesIn(answer.toString())).toEqual([200])
  }
  socket.destroy()
})

const waiting = (path: string, more: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n${more}\r\n\r\n`
const right = `Authorization: ${basic}`

it.each([
  ['a wrong key', '/track?apiKey=no', 'Content-Length: 10', 401],
  ['a body that is too large', `/track?apiKey=${apiKey}`, 'Content-Length: 999999999', 413],
  ['no password', '/query', 'Content-Length: 10', 401],
  ['a statement that is too large', '/query', `${right}\r\nContent-Length: 99999999`, 413],
  ['a wrong path', '/nothing', 'Content-Length: 10', 404],
])('does not ask for a body with %s', async (_, path, more, status) => {
  const socket = await open()
  socket.write(waiting(path, more))
  expect(statusesIn(await readAll(socket))).toEqual([status])
})

it.each([
  ['an event', `/track?apiKey=${apiKey}`, '', body],
  ['a statement', '/query', `${right}\r\n`, JSON.stringify({ statement: 'SELECT 1' })],
  [
    'a file',
    '/upload?catalog=lakehouse&schema=main&table=expected&mode=create&format=json',
    `${right}\r\n`,
    '{"a":1}',
  ],
])('asks for the body of %s, and takes it', async (_, path, more, sent) => {
  const socket = await open()
  const answer = readAll(socket)
  socket.write(waiting(path, `${more}Content-Length: ${sent.length}`))
  await once(socket, 'data')
  socket.write(sent)
  expect(statusesIn(await answer)).toEqual([100, 200])
})
