import type { Emit } from '../signals'
import type { DropReason, Outcome, Signals, Stats } from '../types'
import type { Row } from './row'

export type Tally = ReturnType<typeof createTally>

/** Counts what became of payloads, and tells it: to their callers and to the signals. */
export function createTally(emit: Emit) {
  const dropped: Stats['dropped'] = {}
  const countDrops = (reason: DropReason, count: number) => {
    dropped[reason] = (dropped[reason] ?? 0) + count
    tally.lost += count
  }
  const drop = (signal: Signals['drop']) => {
    countDrops(signal.reason, 1)
    emit('drop', signal)
  }
  const tally = {
    accepted: 0,
    'handed-off': 0,
    /** All that was dropped, for whatever reason. */
    lost: 0,
    dropped,
    countDrops,
    drop,
    tell(rows: Pick<Row, 'kind' | 'payloads'>[], outcome: Outcome) {
      const { status } = outcome
      for (const row of rows) {
        for (const payload of row.payloads) {
          payload.settle?.(outcome)
          if (status === 'dropped')
            drop({ kind: row.kind, id: payload.id, payload: payload.body, ...outcome })
        }
      }
      if (rows.length && (status === 'accepted' || status === 'handed-off')) {
        const ids = rows.flatMap((row) => row.payloads.map((payload) => payload.id))
        tally[status] += ids.length
        emit('sent', { kind: rows[0]!.kind, ids, ...outcome })
      }
    },
  }
  return tally
}
