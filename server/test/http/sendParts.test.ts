import { once } from 'node:events'
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sendParts } from '../../src/http/Route.js'

let handle: (response: ServerResponse) => void
const server = createServer((_, response) => handle(response))
beforeEach(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const get = async () => {
  const request = ask({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
  request.on('error', () => undefined)
  request.end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  answer.on('error', () => undefined)
  return { request, answer }
}

it('sends each part, and ends the answer', async () => {
  handle = (response) => {
    const parts = (async function* () {
      yield 'one\n'
      await new Promise(setImmediate)
      yield Buffer.from('two\n')
    })()
    void sendParts(parts, response)
  }
  const { answer } = await get()
  expect(await text(answer)).toBe('one\ntwo\n')
})

it('waits for the part that is being made when the client leaves, and for what the generator does last', async () => {
  const done: string[] = []
  let make!: () => void
  const made = new Promise<void>((resolve) => (make = resolve))
  let sent: Promise<void> | undefined
  let left: Promise<unknown> | undefined
  handle = (response) => {
    left = once(response, 'close')
    const parts = (async function* () {
      try {
        yield 'one\n'
        await made
        done.push('made')
        yield 'two\n'
        done.push('another')
      } finally {
        await new Promise(setImmediate)
        done.push('cleaned up')
      }
    })()
    sent = sendParts(parts, response).finally(() => done.push('sent'))
  }
  const { request, answer } = await get()
  await once(answer, 'data')
  request.destroy()
  await left
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  make()
  await sent
  expect(done).toEqual(['made', 'cleaned up', 'sent'])
})

it('rejects with what went wrong in the generator, and breaks the answer off', async () => {
  let sent: Promise<void> | undefined
  handle = (response) => {
    const parts = (async function* () {
      yield 'one\n'
      await new Promise(setImmediate)
      throw new Error('out of luck')
    })()
    sent = sendParts(parts, response)
    sent.catch(() => undefined)
  }
  const { answer } = await get()
  await expect(text(answer)).rejects.toThrow('aborted')
  await expect(sent).rejects.toThrow('out of luck')
})
