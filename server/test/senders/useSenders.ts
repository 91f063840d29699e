import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { type Body, createService, type Service } from '../fixtures/createService.js'

/** A request as an SDK made it, with the key `pk_x`; a body that was gzipped is unpacked here. */
export interface Recorded {
  sdk: string
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

const recordedOf = (name: string): Recorded[] =>
  JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8')) as Recorded[]

/** A service with the keys `pk_x`, for one environment, and `pk_all`, and what the tests of senders ask of it. */
export const useSenders = (options: ServerOptions = {}) => {
  let own: Service
  // Each test has its own, because the recordings name the same users.
  beforeEach(async () => {
    own = await createService({ apiKeys: ['pk_x:production', 'pk_all'], ...options })
  })
  afterEach(() => own.close())
  const service = new Proxy({} as Service, { get: (_, name) => Reflect.get(own, name) as unknown })
  const send = async ({ method, path, headers, body }: Omit<Recorded, 'sdk'>) => {
    const isZipped = headers['content-encoding'] === 'gzip'
    const waiting = `${path}${path.includes('?') ? '&' : '?'}sync=true`
    const response = await fetch(service.url + waiting, {
      method,
      headers,
      ...(method === 'POST' && { body: isZipped ? gzipSync(body) : body }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text }
  }
  return {
    service,
    send,
    post: async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const { status, text } = await send({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      return { status, body: JSON.parse(text) as Body }
    },
    /** Sends what one SDK sent when it was recorded. */
    async replay(name: string, sdk: string): Promise<string[]> {
      const answers: string[] = []
      for (const each of recordedOf(name).filter((one) => one.sdk === sdk))
        answers.push(`${(await send(each)).status}`)
      return answers
    },
    /** The objects that a query answers. */
    async objects(statement: string): Promise<Body[]> {
      const { columns, rows, error } = await service.query(statement)
      if (error !== undefined) throw new Error(JSON.stringify(error))
      return rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])))
    },
  }
}
