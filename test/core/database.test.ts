import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createStore } from 'idb-keyval'
import { openDatabase as open } from '../../src/core/database'
import { createDisk } from '../world/createDisk'
import { createScheduler } from '../world/createScheduler'

const openDatabase = (name: string) => {
  const { transact, abortReads } = open(() => createStore(name, 'waymark'))
  return {
    abortReads,
    read: async <T>(ask: (store: IDBObjectStore) => IDBRequest<T>) =>
      (await transact('readonly', ask)).result,
    write: (change: (store: IDBObjectStore) => void) => transact('put', change),
    change: (change: (store: IDBObjectStore, commit: () => void) => void) => transact('readwrite', change),
  }
}

// The one that all other tests simulate is judged by what another one does.
describe.each([
  ['of fake-indexeddb', () => [new IDBFactory(), IDBKeyRange]],
  [
    'of the world',
    () => {
      const { factory, range } = createDisk(createScheduler())
      return [factory, range]
    },
  ],
])('openDatabase, over IndexedDB %s,', (_, createFactory) => {
  beforeEach(() => {
    const [factory, range] = createFactory()
    vi.stubGlobal('indexedDB', factory)
    vi.stubGlobal('IDBKeyRange', range)
  })

  it('commits every readwrite transaction explicitly, in the task that issued it', async () => {
    const database = openDatabase('a')
    await database.write((store) => void store.put(1, 'first'))
    let committed = 0
    await database.write((store) => {
      const { transaction } = store
      const commit = transaction.commit.bind(transaction)
      vi.spyOn(transaction, 'commit').mockImplementation(() => {
        committed++
        commit()
      })
      store.put(2, 'second')
    })
    expect(committed).toBe(1)
  })

  it('leaves the commit to a change that reads first', async () => {
    const database = openDatabase('a')
    await database.write((store) => void store.put(1, 'n'))
    await database.change((store, commit) => {
      const got = store.get('n')
      got.onsuccess = () => {
        store.put(got.result + 1, 'n')
        commit()
      }
    })
    expect(await database.read((store) => store.get('n'))).toBe(2)
  })

  it('says why a change failed, when one request of it did', async () => {
    const database = openDatabase('a')
    await database.write((store) => void store.put(1, 'n'))
    const write = database.write((store) => void store.add(2, 'n'))
    await expect(write).rejects.toMatchObject({ name: 'ConstraintError' })
  })

  it('undoes a change that still reads when the page leaves', async () => {
    const database = openDatabase('a')
    await database.write((store) => void store.put(1, 'n'))
    const write = database.change((store) => {
      store.delete('n')
      store.get('n')
    })
    database.abortReads()
    await expect(write).rejects.not.toBeUndefined()
    expect(await database.read((store) => store.get('n'))).toBe(1)
  })

  it('ends a read that is open when the page leaves, so that deletes need not wait for it', async () => {
    const database = openDatabase('a')
    await database.write((store) => void store.put(1, 'n'))
    const read = database.read((store) => store.get('n'))
    database.abortReads()
    await expect(read).rejects.not.toBeUndefined()
    expect(await database.read((store) => store.get('n'))).toBe(1)
    database.abortReads()
  })

  it('has keys in their order, and what lies between two of them', async () => {
    const database = openDatabase('a')
    const keys = [['b', 1], 'z', ['a', 2, 'x'], ['a', 2], 'a', ['a', 10], '']
    await database.write((store) => keys.forEach((key, value) => store.put(value, key)))
    const found = (lower: IDBValidKey, upper: IDBValidKey) =>
      database.read((store) => store.getAllKeys(IDBKeyRange.bound(lower, upper)))
    expect(await found('', [])).toEqual(['', 'a', 'z'])
    expect(await found([], [[]])).toEqual([
      ['a', 2],
      ['a', 2, 'x'],
      ['a', 10],
      ['b', 1],
    ])
    expect(await found(['a', 2], ['a', 2, []])).toEqual([
      ['a', 2],
      ['a', 2, 'x'],
    ])
    await database.write((store) => void store.delete(IDBKeyRange.bound(['a', 2], ['a', 10])))
    expect(await found([], [[]])).toEqual([['b', 1]])
  })

  it('runs changes one after the other, also those that read first, and reads what was there before', async () => {
    const database = openDatabase('a')
    await database.write((store) => void store.put(0, 'n'))
    const add = () =>
      database.change((store, commit) => {
        const got = store.get('n')
        got.onsuccess = () => {
          store.put(got.result + 1, 'n')
          commit()
        }
      })
    const read = () => database.read((store) => store.get('n'))
    const changes = [add(), add()]
    const between = read()
    changes.push(add())
    await Promise.all(changes)
    expect([await between, await read()]).toEqual([2, 3])
  })

  it('takes no request after the task in which nothing was asked', async () => {
    const database = openDatabase('a')
    await database.write((store) => void store.put(1, 'n'))
    let late: IDBObjectStore | undefined
    await database.read((store) => (late = store).get('n'))
    expect(() => late!.get('n')).toThrow(DOMException)
  })

  it('gives way to a page that deletes the database, and opens a new one', async () => {
    const database = openDatabase('a')
    await database.write((store) => void store.put(1, 'n'))
    await new Promise((resolve) => (indexedDB.deleteDatabase('a').onsuccess = resolve))
    await database.write((store) => void store.put(2, 'm'))
    expect(await database.read((store) => store.getAllKeys())).toEqual(['m'])
  })

  it('opens anew when the connection died without a word', async () => {
    const database = openDatabase('a')
    let connection: IDBDatabase | undefined
    await database.write((store) => {
      connection = store.transaction.db
      store.put(1, 'n')
    })
    connection!.close()
    await database.write((store) => void store.put(2, 'm'))
    expect(await database.read((store) => store.getAllKeys())).toEqual(['m', 'n'])
  })

  it('rejects where there is no IndexedDB', async () => {
    // Some browsers have none in private windows.
    vi.stubGlobal('indexedDB', undefined)
    await expect(openDatabase('a').read((store) => store.get('n'))).rejects.toBeDefined()
  })
})
