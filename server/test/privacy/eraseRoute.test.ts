import { expect, it } from 'vitest'
import { Logger } from '../../src/Logger.js'
import { eraseRoute, type Rounds } from '../../src/privacy/ErasureRounds.js'

it('refuses a user who may only read, before it looks at whom to erase', async () => {
  const { handle } = eraseRoute({
    authenticate: () => Promise.resolve({ user: 'reader', role: 'read' }),
    rounds: {} as Rounds<never>,
    logger: new Logger('silent'),
  })
  const exchange = { request: {}, response: {} } as Parameters<typeof handle>[0]
  await expect(handle(exchange)).rejects.toMatchObject({ status: 403, code: 'read-only-user' })
})
