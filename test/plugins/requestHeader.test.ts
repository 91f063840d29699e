import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { requestHeader } from '../../src/plugins/requestHeader'
import { createHost } from './createHost'

const site = 'https://shop.test'
const ids = expect.stringMatching(/^device-1~anonymous-1~session-1~\d+$/) as string

/** The options of an application may be of a class: no field of it is the object's own, or can be listed. */
class Options {
  #body = 'of a getter'
  get method() {
    return 'POST'
  }
  get body() {
    return this.#body
  }
  get headers() {
    return { 'X-Own': '1' }
  }
}

let stop = () => {}
let sent: Request[] = []
beforeEach(() => {
  sent = []
  vi.stubGlobal('document', { baseURI: `${site}/maps/` })
  vi.stubGlobal('location', { origin: site })
  vi.stubGlobal('XMLHttpRequest', { prototype: {} })
  vi.stubGlobal('window', {
    // It rejects what cannot be sent, as the browser's does.
    async fetch(input: RequestInfo, init?: RequestInit) {
      const isPath = typeof input === 'string' && input.startsWith('/')
      const request = new Request(isPath ? site + input : input, init)
      sent.push(request)
      return new Response(await request.text())
    },
  })
  stop = createHost().start(requestHeader())
})
afterEach(() => {
  stop()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const stream = () =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('of a stream'))
      controller.close()
    },
  })

describe('requestHeader adds one header, and changes nothing else', () => {
  const post = { method: 'POST', body: 'text', headers: { 'X-Own': '1' } }
  const inherited = Object.create(post) as RequestInit

  it.each<[string, () => Parameters<typeof fetch>, string]>([
    ['of options', () => ['/a', post], 'text'],
    ['of options that are inherited', () => ['/a', inherited], 'text'],
    ['of options with getters', () => ['/a', new Options()], 'of a getter'],
    ['of frozen options', () => [`${site}/a`, Object.freeze({ ...post })], 'text'],
    ['of headers', () => ['/a', { ...post, headers: new Headers(post.headers) }], 'text'],
    ['of a list of headers', () => ['/a', { ...post, headers: [['X-Own', '1']] }], 'text'],
    ['of a stream', () => ['/a', { ...post, body: stream(), duplex: 'half' } as RequestInit], 'of a stream'],
    ['of a request', () => [new Request(`${site}/a`, post)], 'text'],
    ['of a request with options', () => [new Request(`${site}/a`), post], 'text'],
    ['of a URL', () => [new URL(`${site}/a`), post], 'text'],
  ])('%s', async (_, make, text) => {
    const given = make()
    const response = await window.fetch(...given)
    expect(await response.text()).toBe(text)
    expect(sent[0]).toMatchObject({ method: 'POST', url: `${site}/a` })
    expect(sent[0]!.headers.get('X-Waymark')).toEqual(ids)
    expect(sent[0]!.headers.get('X-Own')).toBe('1')
  })

  it('of a request that says what it tells of its referrer', async () => {
    const request = new Request(`${site}/a`, {
      referrerPolicy: 'no-referrer',
      integrity: 'sha256-AAAA',
      redirect: 'manual',
    })
    await window.fetch(request)
    expect(sent[0]!.headers.get('X-Waymark')).toEqual(ids)
    expect(sent[0]).toMatchObject({
      referrerPolicy: 'no-referrer',
      integrity: 'sha256-AAAA',
      redirect: 'manual',
    })
  })

  it('of a request that is broken off', async () => {
    const abort = new AbortController()
    await window.fetch('/a', { signal: abort.signal })
    await window.fetch(new Request(`${site}/a`, { signal: abort.signal }))
    abort.abort()
    expect(sent.map(({ signal }) => signal.aborted)).toEqual([true, true])
  })
})

it.each<[string, Parameters<typeof fetch>]>([
  ['to another site', ['https://other.test/a', { method: 'POST' }]],
  ['without credentials', ['/a', { method: 'POST', credentials: 'omit' }]],
  ['that is without credentials', [new Request(`${site}/a`, { method: 'POST', credentials: 'omit' }), {}]],
])('leaves a request %s as it is', async (_, given) => {
  await window.fetch(...given)
  expect(sent[0]!.method).toBe('POST')
  expect(sent[0]!.headers.has('X-Waymark')).toBe(false)
})

it.each<[string, unknown[]]>([
  ['a header that is none', ['/a', { headers: { 'not a name': '1' } }]],
  ['a body with GET', ['/a', { body: 'text' }]],
  [
    'a getter that throws',
    ['/a', Object.defineProperty({}, 'method', { get: () => JSON.parse('{') as never })],
  ],
  ['what has no text', [Symbol('none')]],
  ['nothing', []],
])('rejects where fetch rejects: %s', async (_, given) => {
  const promise = window.fetch(...(given as Parameters<typeof fetch>))
  await expect(promise).rejects.toThrow()
})
