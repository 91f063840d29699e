import { describe, expect, it } from 'vitest'
import type { Waymark } from '../../src/core/types'
import { createWorld, withTransact } from '../world/createWorld'

describe('a page that leaves writes to its database', () => {
  /** What each transaction of the leaving page does with event records. */
  const leave = async (act: (waymark: Waymark) => void, isEmpty = false) => {
    const world = createWorld()
    let writes: string[][] = []
    const watched = withTransact((database, mode, work) =>
      database.transact(mode, (store, commit) => {
        const calls: string[] = []
        writes.push(calls)
        const own = { put: store.put.bind(store), delete: store.delete.bind(store) }
        store.put = (value, key) => {
          if (typeof key !== 'string') calls.push('put')
          return own.put(value, key)
        }
        store.delete = (keys) => {
          calls.push('delete')
          return own.delete(keys)
        }
        return work(store, commit)
      }),
    )
    const tab = world.openTab('https://shop.test/', watched)
    const waymark = tab.init()
    await waymark.ready()
    waymark.track('Stored')
    await world.settle()
    if (isEmpty) await waymark.flush()
    writes = []
    act(waymark)
    tab.fire('pagehide')
    const made = writes.filter((calls) => calls[0])
    await world.settle()
    return { made, names: world.service.names() }
  }

  it('nothing of what it hands off before it was stored', async () => {
    const { made, names } = await leave((waymark) => waymark.track('Last'))
    expect(names).toEqual(['Stored', 'Last'])
    expect(made.flat()).not.toContain('put')
  })

  it('nothing at all when nothing that it hands off was stored', async () => {
    const { made, names } = await leave((waymark) => waymark.track('Last'), true)
    expect(names).toEqual(['Stored', 'Last'])
    expect(made).toEqual([])
  })

  it('its deletes first, alone: WebKit keeps those, and drops puts', async () => {
    const { made, names } = await leave((waymark) => waymark.track('Big', { text: 'x'.repeat(70_000) }))
    expect(names).toEqual(['Stored'])
    expect(made).toEqual([['delete'], ['put']])
  })
})
