import { beforeEach, describe, expect, it } from 'vitest'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { openDatabase } from '../../src/browser/openDatabase'
import { createIdentity } from '../../src/identity/createIdentity'

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  globalThis.IDBKeyRange = IDBKeyRange
})

const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

describe('createIdentity', () => {
  it('gives a new browser ids, and the same ones ever after', async () => {
    const first = createIdentity(openDatabase('ids'), () => {})
    await first.load()
    const { deviceId, anonymousId, distinctId, userId } = first.ids()
    expect(deviceId).toMatch(/^device-[\w-]{21}$/)
    expect(anonymousId).toMatch(/^anonymous-[\w-]{21}$/)
    expect(distinctId).toBe(anonymousId)
    expect(userId).toBeUndefined()

    const second = createIdentity(openDatabase('ids'), () => {})
    await second.load()
    expect(second.ids()).toEqual(first.ids())
  })

  it('lets two tabs that start together agree', async () => {
    const tabs = [1, 2, 3].map(() => createIdentity(openDatabase('ids'), () => {}))
    await Promise.all(tabs.map((tab) => tab.load()))
    expect(new Set(tabs.map((tab) => tab.ids().deviceId)).size).toBe(1)
  })

  it('keeps the anonymous id beside the user at login, and starts anew for another user', async () => {
    const identity = createIdentity(openDatabase('ids'), () => {})
    await identity.load()
    const { anonymousId, deviceId } = identity.ids()
    identity.login('ann')
    expect(identity.ids()).toEqual({ deviceId, anonymousId, userId: 'ann', distinctId: 'ann' })
    identity.login('bob')
    expect(identity.ids()).toMatchObject({ deviceId, userId: 'bob' })
    expect(identity.ids().anonymousId).not.toBe(anonymousId)
  })

  it('forgets the user at reset, and the device only when asked', async () => {
    const identity = createIdentity(openDatabase('ids'), () => {})
    await identity.load()
    identity.login('ann')
    const { anonymousId, deviceId } = identity.ids()
    identity.reset()
    expect(identity.ids()).toMatchObject({ deviceId })
    expect(identity.ids().userId).toBeUndefined()
    expect(identity.ids().anonymousId).not.toBe(anonymousId)
    identity.reset(true)
    expect(identity.ids().deviceId).not.toBe(deviceId)
    await settled()

    const next = createIdentity(openDatabase('ids'), () => {})
    await next.load()
    expect(next.ids()).toEqual(identity.ids())
  })
})
