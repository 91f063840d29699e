import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { guestRoutes } from '../../src/guests/guestRoutes.js'
import { GuestLinks } from '../../src/guests/GuestLinks.js'
import { dataChanges } from '../../src/duckdb/transactions.js'
import type { Database } from '../../src/duckdb/Database.js'
import type { AnswererOptions } from '../../src/sql/answerer.js'
import { identityHeaders } from '../../src/users/Identity.js'

const shown = {
  ...{ path: '/app/explore', search: 'env=production', environment: 'production' },
  answers: [{ name: 'explore' }],
}
const question = { name: 'explore', from: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' }

it('all guests together have a quarter of the permits, and one who has gone leaves the queue', async () => {
  const board = { ...shown, ends_at: null, origins: [], token_hash: 'hash' }
  const getRows = () => [['link', 'Board', JSON.stringify(board)]]
  const connection = { runAndReadAll: () => Promise.resolve({ getRows }) }
  const fails: ((error: Error) => void)[] = []
  const database = { use: (work: (given: unknown) => unknown) => work(connection) } as unknown as Database
  const answering = {
    runner: { run: () => new Promise((_, reject) => fails.push(reject)) },
    newCancellation: () => ({ cancel: () => undefined, signal: new AbortController().signal }),
  } as unknown as AnswererOptions
  const route = guestRoutes(answering, database, 8).find(({ method }) => method === 'POST')!
  const body = JSON.stringify(question)
  const settled = (work: Promise<unknown>) => work.catch((error: Error) => error.message)
  const ask = () => {
    const headers = identityHeaders({ user: 'hash', role: 'guest' })
    const request = Object.assign(Readable.from([Buffer.from(body)]), {
      headers,
      socket: {},
    }) as unknown as IncomingMessage
    const response = Object.assign(new EventEmitter(), {
      setHeader: () => undefined,
    }) as unknown as ServerResponse
    const parts = { request, response, path: '', search: '', parameters: [] }
    return { response, end: settled(route.handle(parts)) }
  }
  const guests = Array.from({ length: 4 }, ask)
  await expect.poll(() => fails.length).toBe(2)
  // Each of these waits, and leaves with its guest.
  guests.at(3)?.response.emit('close')
  expect(await guests.at(3)?.end).toContain('client')
  expect(fails.length).toBe(2)
  fails.at(0)?.(new Error('over'))
  expect(await guests.at(0)?.end).toBe('over')
  await expect.poll(() => fails.length).toBe(3)
})

it('asks DuckDB for no token, known or not, as long as nothing has changed', async () => {
  const link = { ...shown, ends_at: null, origins: [], token_hash: 'hash' }
  let read = 0
  const database = {
    use: () => {
      read++
      return Promise.resolve({ getRows: () => [['link', 'Board', JSON.stringify(link)]] })
    },
  } as unknown as Database
  const links = new GuestLinks(database)
  const find = (hash: string, times: number) =>
    Promise.all(Array.from({ length: times }, () => links.find(hash)))
  expect((await find('hash', 50))[0]).toMatchObject({ name: 'Board' })
  expect(await find('another', 50)).not.toContainEqual(expect.anything())
  expect(read).toBe(1)
  link.token_hash = 'new'
  // One reading for all who come while something changes; what they see is not kept.
  await dataChanges.during(async () => {
    await find('hash', 50)
    expect(read).toBe(2)
  })
  expect(await links.find('hash')).toBeUndefined()
  expect(await links.find('new')).toMatchObject({ name: 'Board' })
  expect(read).toBe(3)
})
