import type { Draft, Host, Kind, Properties, Signals } from '../../core/types'
import { reasons } from '../trail'
import { watchRequests, type Carried } from './watchRequests'
import { judge, type Plan, type Verdict } from './judge'

/** One call, or one error that the library told of. */
export interface Row {
  at: number
  kind: Kind | 'error'
  /** The event's name, the user's id, or the error's code. */
  name: string
  /** Its `insert_id`; without one, calls of a kind leave in their order. */
  id?: string | undefined
  properties?: Properties
  /** `sent`: a request carries it, or the page went and the browser has it. `stored`: the service has it on its disk. */
  way?: 'waiting' | 'sent' | 'stored' | 'dropped'
  /** No more news of it will come. */
  isDone?: boolean
  /** Why it was dropped, or what the error says. */
  why?: string
  verdict?: Verdict | undefined
}

/** Rows that are kept; the oldest go. */
const most = 200

/** Events without ids are calls to `track`. */
const callOf = (kind: Kind) => (kind === 'anonymous' ? 'track' : kind)

/** Keeps what happened in this page, the newest last, and tells `changed` of each row that is new or another. */
export function createBook(changed: (row: Row) => void, plan?: Plan) {
  let rows: Row[] = []

  const add = (row: Row) => {
    rows.push(row)
    if (rows.length > most) rows.shift()
    changed(row)
  }
  const find = (kind: Kind, id: string, ways = /waiting|sent/) =>
    rows.find((row) => row.id && row.id === id) ??
    rows.find((row) => !row.id && !row.isDone && row.kind === callOf(kind) && ways.test(row.way ?? ''))
  const become = (row: Row, change: Partial<Row>) => changed(Object.assign(row, change))

  const waits = ({ kind, event, userId, properties, traits }: Draft) => {
    const own = properties ?? traits ?? {}
    const row: Row = { at: Date.now(), kind, name: event ?? userId ?? '', properties: own, way: 'waiting' }
    if (typeof own['insert_id'] === 'string') row.id = own['insert_id']
    add(row)
    if (plan)
      void judge(plan, { kind, name: row.name, properties: own }).then(
        (verdict) => become(row, { verdict }),
        // The schema is wrong, or has thrown.
        (error) =>
          become(row, {
            verdict: { plan: 'invalid', problems: [`The plan cannot be used: ${String(error)}`] },
          }),
      )
  }
  const begun = ({ kind, ids }: Carried) => {
    const carried: Row[] = []
    for (const id of ids) {
      const row = find(kind as Kind, id, /waiting/)
      if (!row || row.isDone) continue
      become(row, { way: 'sent' })
      carried.push(row)
    }
    return () => {
      for (const row of carried) if (!row.isDone) become(row, { way: 'waiting' })
    }
  }
  const sent = ({ kind, ids, status }: Signals['sent']) => {
    for (const id of ids) {
      const row = find(kind, id)
      // Another page may have made the call.
      if (row) become(row, { way: status === 'accepted' ? 'stored' : 'sent', isDone: true })
    }
  }
  const dropped = ({ kind, id, reason, errorCode }: Signals['drop']) => {
    const change = { way: 'dropped', why: errorCode ?? reasons[reason], isDone: true } as const
    const row = find(kind, id)
    if (row) become(row, change)
    // It was refused before plugins saw it, or by a plugin before this one.
    else add({ at: Date.now(), kind: callOf(kind), name: '', ...change })
  }

  return {
    rows: () => rows,
    clear() {
      rows = []
    },
    waits,
    follow(on: Host['on']) {
      const stops = [
        watchRequests(begun),
        on('sent', sent),
        on('drop', dropped),
        on('error', ({ code, message }) => add({ at: Date.now(), kind: 'error', name: code, why: message })),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
