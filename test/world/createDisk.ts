import type { Owner } from './createScheduler'

// IndexedDB as pages meet it: transactions in their order, active and inactive, that commit in a later task, by themselves
// or in words; what a kill undoes; a quota; an open that is slow, blocked or fails; connections that close with and
// without a word. It has what the library asks for: one store without indexes.
//
// The browser's part of a transaction has no owner: it goes on when its page rests or is gone, as far as it was asked to.
// What tells the page of it is a task of the page's.

type Key = IDBValidKey
type Row = [key: Key, value: unknown]
interface Range {
  lower: Key
  upper: Key
}

/** What the platform does otherwise than at once and as it should. */
export interface Quirks {
  /** How long a step takes; undefined needs no time. */
  delay(step: 'open' | 'work' | 'commit' | 'tell'): number | undefined
  /** Why an open or a transaction fails; undefined lets it be. */
  fails(step: 'open' | 'transact', owner: Owner | undefined): DOMException | undefined
  /** Whether what a page has asked to commit survives its kill. */
  survives(owner: Owner | undefined): boolean
  /** A put is dropped without a word, as in an unload handler of WebKit. */
  drops(owner: Owner | undefined): boolean
  /** Bytes of keys and values that there is room for. */
  quota: number
}

export const quiet: Quirks = {
  delay: () => undefined,
  fails: () => undefined,
  survives: () => true,
  drops: () => false,
  quota: Infinity,
}

const ranks = ['number', 'string', 'object']
const rankOf = (key: Key) => ranks.indexOf(typeof key)

/** Numbers before texts before arrays, as IndexedDB orders them. */
const compare = (a: Key, b: Key): number => {
  if (!Array.isArray(a) || !Array.isArray(b)) return rankOf(a) - rankOf(b) || (a < b ? -1 : a > b ? 1 : 0)
  for (let n = 0; n < a.length && n < b.length; n++) {
    const order = compare(a[n]!, b[n]!)
    if (order) return order
  }
  return a.length - b.length
}

const copy = <T>(value: T): T =>
  Array.isArray(value) ? (value.map(copy) as T) : typeof value === 'object' ? structuredClone(value) : value
const sizeOf = (rows: Row[]) => rows.reduce((sum, row) => sum + JSON.stringify(row).length, 0)

/** Where the rows of a key, or of a range of keys, begin and end. */
const find = (rows: Row[], key: Key | Range) => {
  const { lower, upper } = typeof key === 'object' && 'lower' in key ? key : { lower: key, upper: key }
  const search = (isBefore: (row: Row) => boolean, from = 0) => {
    for (let high = rows.length; from < high;) {
      const middle = (from + high) >> 1
      if (isBefore(rows[middle]!)) from = middle + 1
      else high = middle
    }
    return from
  }
  const from = search((row) => compare(row[0], lower) < 0)
  return [from, search((row) => compare(row[0], upper) <= 0, from)] as const
}

const fail = (name: string) => new DOMException(name, name)

interface Request {
  run: (() => unknown) | undefined
  result?: unknown
  error?: DOMException | null
  onsuccess?: ((event: object) => void) | null
  onerror?: ((event: object) => void) | null
  onupgradeneeded?: (() => void) | null
  onblocked?: (() => void) | null
}

type State = 'waits' | 'runs' | 'commits' | 'done'

interface Transaction {
  state: State
  owner: Owner | undefined
  isReadonly: boolean
  /** No more requests are to come. */
  isAsked: boolean
  /** The task in which requests may be made. */
  activeIn: number
  asked: Request[]
  /** Requests whose end the page has not heard of. */
  untold: number
  before: Row[]
  error: DOMException | null
  handle: Handle
}

type Hear = ((event: object) => void) | null | undefined

/** What the page holds of a transaction. */
interface Handle {
  error?: DOMException | null
  oncomplete?: Hear
  onabort?: Hear
  onerror?: Hear
}

interface Base {
  rows: Row[]
  hasStore: boolean
  transactions: Transaction[]
  connections: Set<Connection>
  /** Deletes that wait for connections to close. */
  deletes: (() => void)[]
}

interface Connection {
  owner: Owner | undefined
  isClosed: boolean
  onclose?: (() => void) | null
  onversionchange?: (() => void) | null
  close(): void
  transaction(store: string, mode?: 'readonly' | 'readwrite'): object
  createObjectStore(name: string): void
}

interface Tasks {
  add(run: () => void, ms?: number, owner?: Owner): unknown
  ran(): number
  now(): number
}

export function createDisk(tasks: Tasks, quirks: Quirks = quiet) {
  const bases = new Map<string, Base>()
  /** Who asks now. */
  let acting: Owner | undefined

  /** What each one is yet to hear at its time, until when: nothing overtakes it. */
  const untold = new WeakMap<Owner, { count: number; until: number }>()
  const tell = (owner: Owner | undefined, fn: () => void) => {
    const delay = quirks.delay('tell')
    const own = (owner && untold.get(owner)) ?? { count: 0, until: 0 }
    if (delay === undefined && !own.count) return tasks.add(fn, undefined, owner)
    own.count++
    own.until = Math.max(own.until, tasks.now() + (delay ?? 0))
    if (owner) untold.set(owner, own)
    const hear = () => {
      own.count--
      fn()
    }
    return tasks.add(hear, own.until - tasks.now(), owner)
  }

  const end = (base: Base, one: Transaction, error?: DOMException | null) => {
    if (one.state === 'done') return
    const before = one.state
    one.state = 'done'
    base.transactions = base.transactions.filter((other) => other !== one)
    if (error !== undefined && !one.isReadonly && before !== 'waits') base.rows = one.before
    one.error = error ?? null
    const isAnswered = !one.untold
    tell(one.owner, () => {
      const { handle } = one
      handle.error = one.error
      // Requests that were not answered fail first.
      if (error !== undefined && !isAnswered)
        handle.onerror?.({ target: { error: error ?? fail('AbortError') } })
      handle[error === undefined ? 'oncomplete' : 'onabort']?.({ target: handle })
    })
    start(base)
  }

  const commit = (base: Base, one: Transaction) => {
    if (one.state !== 'runs') return
    one.state = 'commits'
    tasks.add(() => {
      if (one.state !== 'commits') return
      const isFull = quirks.quota < Infinity && sizeOf(base.rows) > Math.max(quirks.quota, sizeOf(one.before))
      if (isFull && !one.isReadonly) end(base, one, fail('QuotaExceededError'))
      else end(base, one)
    }, quirks.delay('commit'))
  }

  /** A transaction of which nothing is asked any more commits: in words, or by itself when its page has heard all. */
  const commitWhenAsked = (base: Base, one: Transaction) => {
    if (one.state === 'runs' && !one.asked[0] && (one.isAsked || one.untold === 0)) commit(base, one)
  }

  const answer = (base: Base, one: Transaction, request: Request) => {
    one.untold--
    if (one.state === 'done') return
    one.activeIn = tasks.ran()
    request.onsuccess?.({ target: request })
    // What its microtasks ask belongs to it, too.
    tasks.add(() => commitWhenAsked(base, one))
  }

  const work = (base: Base, one: Transaction) => {
    if (one.state !== 'runs') return
    for (const request of one.asked.splice(0)) {
      try {
        request.result = request.run!()
      } catch (error) {
        request.error = error as DOMException
        tell(one.owner, () => one.handle.onerror?.({ target: request }))
        return end(base, one, request.error)
      }
      tell(one.owner, () => answer(base, one, request))
    }
    commitWhenAsked(base, one)
  }

  /** Begins what may begin: those that write alone, those that read together, all in the order in which they were made. */
  const start = (base: Base) => {
    for (const [at, one] of base.transactions.entries()) {
      const earlier = base.transactions.slice(0, at)
      if (one.isReadonly ? earlier.some((other) => !other.isReadonly) : earlier[0]) continue
      if (one.state !== 'waits') continue
      one.state = 'runs'
      if (!one.isReadonly) one.before = [...base.rows]
      const why = quirks.fails('transact', one.owner)
      tasks.add(() => (why ? end(base, one, why) : work(base, one)), quirks.delay('work'))
    }
  }

  const createStore = (base: Base, one: Transaction) => {
    const ask = (run: () => unknown) => {
      if (one.state === 'done' || one.isAsked || one.activeIn !== tasks.ran())
        throw fail('TransactionInactiveError')
      const request: Request = { run }
      one.asked.push(request)
      one.untold++
      if (one.state === 'runs') tasks.add(() => work(base, one), quirks.delay('work'))
      return request
    }
    const change = (run: () => void) => {
      if (one.isReadonly) throw fail('ReadOnlyError')
      return ask(run)
    }
    return {
      transaction: one.handle,
      get: (key: Key) =>
        ask(() => {
          const [from, to] = find(base.rows, key)
          return to > from ? copy(base.rows[from]![1]) : undefined
        }),
      getAll: (range: Range) =>
        ask(() => base.rows.slice(...find(base.rows, range)).map((row) => copy(row[1]))),
      getAllKeys: (range?: Range) =>
        ask(() =>
          (range ? base.rows.slice(...find(base.rows, range)) : base.rows).map((row) => copy(row[0])),
        ),
      add: (value: unknown, key: Key) =>
        change(() => {
          const [from, to] = find(base.rows, key)
          if (to > from) throw fail('ConstraintError')
          base.rows.splice(from, 0, [key, value])
        }),
      put(value: unknown, key: Key) {
        const row: Row = [copy(key), copy(value)]
        const isDropped = quirks.drops(one.owner)
        return change(() => {
          const [from, to] = find(base.rows, key)
          if (!isDropped) base.rows.splice(from, to - from, row)
        })
      },
      delete: (key: Key | Range) =>
        change(() => {
          const [from, to] = find(base.rows, key)
          base.rows.splice(from, to - from)
        }),
      clear: () => change(() => base.rows.splice(0)),
    }
  }

  const begin = (base: Base, db: Connection, mode: string) => {
    const one: Transaction = {
      state: 'waits',
      owner: db.owner,
      isReadonly: mode === 'readonly',
      isAsked: false,
      activeIn: tasks.ran(),
      asked: [],
      untold: 0,
      before: [],
      error: null,
      handle: {},
    }
    const store = createStore(base, one)
    Object.assign(one.handle, {
      db,
      objectStore: () => store,
      commit() {
        if (one.isAsked || one.state === 'done') throw fail('InvalidStateError')
        one.isAsked = true
        tasks.add(() => commitWhenAsked(base, one))
      },
      abort() {
        if (one.isAsked || one.state === 'done') throw fail('InvalidStateError')
        end(base, one, null)
      },
    })
    base.transactions.push(one)
    // In the task after this one it is known what was asked.
    tasks.add(() => start(base))
    return one.handle
  }

  const settleDeletes = (base: Base) => {
    if (!base.connections.size) for (const done of base.deletes.splice(0)) done()
  }

  const connect = (base: Base, owner: Owner | undefined): Connection => {
    const db: Connection = {
      owner,
      isClosed: false,
      close() {
        db.isClosed = true
        base.connections.delete(db)
        settleDeletes(base)
      },
      transaction(_, mode = 'readonly') {
        if (db.isClosed) throw fail('InvalidStateError')
        if (!base.hasStore) throw fail('NotFoundError')
        return begin(base, db, mode)
      },
      createObjectStore: () => void (base.hasStore = true),
    }
    base.connections.add(db)
    return db
  }

  const open = (name: string) => {
    const owner = acting
    const request: Request = { run: undefined }
    tasks.add(() => {
      const why = quirks.fails('open', owner)
      if (owner?.isGone) return
      const known = bases.get(name)
      const base = known ?? {
        rows: [],
        hasStore: false,
        transactions: [],
        connections: new Set(),
        deletes: [],
      }
      if (!why) bases.set(name, base)
      tell(owner, () => {
        request.error = why ?? null
        if (why) return request.onerror?.({ target: request })
        request.result = connect(base, owner)
        if (!base.hasStore) request.onupgradeneeded?.()
        request.onsuccess?.({ target: request })
      })
    }, quirks.delay('open'))
    return request
  }

  const deleteDatabase = (name: string) => {
    const request: Request = { run: undefined }
    const done = () => {
      bases.delete(name)
      tell(undefined, () => request.onsuccess?.({ target: request }))
    }
    const base = bases.get(name)
    if (!base) done()
    else {
      base.deletes.push(done)
      for (const db of base.connections) tell(db.owner, () => db.onversionchange?.())
      settleDeletes(base)
    }
    return request
  }

  /** Ends what one has open: `isTold` as the browser does, with an event. */
  const disconnect = (owner: Owner, isTold: boolean) => {
    for (const base of bases.values()) {
      for (const one of base.transactions.filter((other) => other.owner === owner))
        end(base, one, fail('AbortError'))
      for (const db of base.connections)
        if (db.owner === owner) {
          db.close()
          if (isTold) tell(owner, () => db.onclose?.())
        }
    }
  }

  return {
    factory: {
      open,
      deleteDatabase,
      databases: () =>
        new Promise((resolve) => {
          tell(acting, () => resolve([...bases.keys()].map((name) => ({ name, version: 1 }))))
        }),
    } as unknown as IDBFactory,
    range: { bound: (lower: Key, upper: Key): Range => ({ lower, upper }) } as unknown as typeof IDBKeyRange,
    /** What `ask` opens is opened by that one. */
    actAs<T>(owner: Owner, ask: () => T): T {
      acting = owner
      try {
        return ask()
      } finally {
        acting = undefined
      }
    },
    disconnect,
    /** The process of one dies: the browser ends what that one has asked to commit, and undoes the rest. */
    kill(owner: Owner) {
      owner.isGone = true
      for (const base of bases.values()) {
        for (const one of base.transactions.filter((other) => other.owner === owner))
          if (!one.isAsked || !quirks.survives(owner)) end(base, one, fail('AbortError'))
        for (const db of base.connections) if (db.owner === owner) db.close()
      }
    },
    /** Transactions that others wait for, and that only their page can end. */
    unasked: (owner: Owner) =>
      [...bases.values()].flatMap(({ transactions }) =>
        transactions.filter((one) => one.owner === owner && !one.isAsked),
      ).length,
    names: () => [...bases.keys()],
    rows: (name: string) => bases.get(name)?.rows ?? [],
    /** The browser loses everything. */
    lose() {
      for (const base of bases.values()) base.rows = []
    },
  }
}

