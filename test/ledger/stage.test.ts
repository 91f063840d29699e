import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
// @ts-expect-error plain JavaScript
import { createStage } from '../../e2e/ledger/createStage.mjs'
// @ts-expect-error plain JavaScript
import { waitFor } from '../../e2e/ledger/engines/waitFor.mjs'
// @ts-expect-error plain JavaScript
import { judge, tellVerdict } from '../../e2e/ledger/judge.mjs'

const said = new EventEmitter()
const pages = {
  port: 9,
  hear(listen: (message: object) => void) {
    said.on('said', listen)
    return () => void said.off('said', listen)
  },
}
const session = { closed: 0, close: async () => void session.closed++ }
const engine = { name: 'chromium', launch: async () => session }
const open = () =>
  createStage({
    scenario: { name: 'kill-renderer', origins: ['same'] },
    engine,
    pages,
    serviceUrl: 'http://127.0.0.1:9',
    key: 'k',
    rounds: 1,
    fast: true,
    profile: '/nowhere',
    consent: 'granted',
  })

describe('a stage', () => {
  let one: Awaited<ReturnType<typeof open>>
  const unawaited: unknown[] = []
  const note = (error: unknown) => void unawaited.push(error)

  beforeEach(async () => {
    one = await open()
    unawaited.length = 0
    process.on('unhandledRejection', note)
  })
  afterEach(async () => {
    process.off('unhandledRejection', note)
    await one.end()
    await one.stage.proxy.close()
  })

  it('rejects a wait for who awaits it, and for nobody else', async () => {
    void one.stage.heard('tracked', 1)
    await expect(one.stage.heard('tracked', 1)).rejects.toThrow('a page of kill-renderer says "tracked"')
    // Node tells of an unhandled rejection in the next turn.
    await new Promise((resolve) => setImmediate(resolve))
    expect(unawaited).toEqual([])
  })

  it('hears a page of its own scenario and engine', async () => {
    const heard = one.stage.heard('tracked')
    for (const engineName of ['firefox', 'chromium'])
      said.emit('said', { what: 'tracked', name: 'kill-renderer', engine: engineName })
    expect(await heard).toMatchObject({ engine: 'chromium' })
  })

  it('gives up what is waited for when its scenario ends, and hears nothing more', async () => {
    const messages: object[] = []
    one.stage.hear('tracked', (message: object) => messages.push(message))
    await one.end()
    said.emit('said', { what: 'tracked', name: 'kill-renderer', engine: 'chromium' })
    expect([messages, said.listenerCount('said')]).toEqual([[], 0])
  })

  it('leaves neither a fault nor a browser where its scenario broke off', async () => {
    session.closed = 0
    await one.stage.engine.launch({})
    await one.stage.proxy.refuse()
    one.broke.push('no page said it')
    await one.end()
    expect(session.closed).toBe(1)
    // Behind the proxy is nobody here, but it takes connections.
    await expect(fetch(one.stage.proxy.url)).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } })
  })
})

it('waits while something moves, however long nothing comes of it', async () => {
  let asked = 0
  const ask = () => ++asked > 20
  await waitFor('the twentieth', ask, { quietMs: 1, progress: () => asked })
  expect(asked).toBe(21)
  await expect(waitFor('what never comes', () => false, { quietMs: 1 })).rejects.toThrow('what never comes')
})

describe('the verdict', () => {
  const account = { events: 10, lost: 0, lostIds: [], twiceIds: [], twiceRaw: 0, twiceStored: 0, mixedIds: 0 }
  const entryOf = (more: object) => ({
    scenario: { name: 'navigate', promise: 'once' },
    engine: 'chromium',
    account,
    missed: [],
    broke: [],
    ...more,
  })
  const lost = { ...account, lost: 1, lostIds: ['navigate/1/2'] }

  it.each([
    ['', {}],
    ['something was lost or sent twice: chromium navigate (1 lost: navigate/1/2)', { account: lost }],
    [
      'a figure was missed: chromium navigate (the page cache was lost)',
      { missed: ['the page cache was lost'] },
    ],
    // What a scenario has lost that did not come to its end says nothing about the library.
    [
      'the ledger itself broke off: chromium navigate (broke off: in vain)',
      { broke: ['in vain'], account: lost },
    ],
    ['a figure was missed: chromium navigate (nothing was tracked)', { account: { ...account, events: 0 } }],
  ])('is “%s”', (text, more) => {
    const entry = entryOf(more)
    expect(tellVerdict([entry])).toBe(text)
    expect(judge(entry).length > 0).toBe(text !== '')
  })
})
