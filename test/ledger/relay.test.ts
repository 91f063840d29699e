import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startRelay } from '../../e2e/fixtures/startRelay'

it('a page that breaks off in the middle of a request is nothing to the relay', async () => {
  const unawaited: unknown[] = []
  const note = (error: unknown) => void unawaited.push(error)
  process.on('unhandledRejection', note)
  const relay = await startRelay(() => undefined)
  onTestFinished(async () => {
    process.off('unhandledRejection', note)
    await relay.close()
  })
  const page = connect(Number(new URL(relay.url).port), '127.0.0.1')
  // It is told to go on, so the relay reads.
  page.write('POST /track HTTP/1.1\r\nhost: relay\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n[{')
  await once(page, 'data')
  page.resetAndDestroy()
  // The relay has heard of it when it has closed, which waits for all connections.
  await relay.close()
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(unawaited).toEqual([])
})

it('a relay that opens again has its address back', async () => {
  const relay = await startRelay(() => undefined)
  await relay.close()
  // What is asked for meanwhile, by anybody, is another port.
  const others = await Promise.all(Array.from({ length: 50 }, () => startRelay(() => undefined)))
  await relay.open()
  const reached = connect(Number(new URL(relay.url).port), '127.0.0.1')
  await once(reached, 'connect')
  reached.destroy()
  for (const one of [relay, ...others]) await one.close()
})
