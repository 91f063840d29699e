import type { Emit } from '../signals'
import type { DropReason, Outcome, Signals, Stats } from '../types'
import type { Payload } from './payload'

/** Counts what became of payloads, and tells it: to the caller's `outcome` and to the signals. */
export function createTally(emit: Emit) {
  const dropped: Stats['dropped'] = {}
  const tally = {
    sent: 0,
    handedOff: 0,
    dropped,
    countDrops(reason: DropReason, count: number) {
      dropped[reason] = (dropped[reason] ?? 0) + count
    },
    drop(signal: Signals['drop']) {
      tally.countDrops(signal.reason, 1)
      emit('drop', signal)
    },
    tell(payloads: Payload[], outcome: Outcome) {
      for (const { settle } of payloads) settle?.(outcome)
      if (outcome.status === 'dropped') {
        for (const { kind, id, body } of payloads) tally.drop({ kind, id, payload: body, ...outcome })
      } else if (outcome.status !== 'queued') {
        tally[outcome.status === 'accepted' ? 'sent' : 'handedOff'] += payloads.length
        emit('sent', { kind: payloads[0]!.kind, ids: payloads.map(({ id }) => id), ...outcome })
      }
    },
  }
  return tally
}

export type Tally = ReturnType<typeof createTally>
