import type { Emit } from '../signals'
import type { DropReason, Outcome, Signals, Stats, Tracked } from '../types'
import type { Payload } from './payload'

/** Counts what became of payloads, and tells it: to the caller's `outcome` and to the signals. */
export function createTally(emit: Emit, settle: (tracked: Tracked, outcome: Outcome) => void) {
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
      for (const { tracked } of payloads) if (tracked) settle(tracked, outcome)
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
