import type { Draft, DropReason, Host, Plugin } from '../core/types'

/** Why a call was let go, in words. */
export const reasons: Record<DropReason, string> = {
  invalid: 'the call was wrong',
  quarantined: 'the service will never take it',
  'too-many': 'more waited than queue.maxEvents',
  'too-big': 'more waited than queue.maxBytes',
  'too-old': 'it waited for longer than queue.ttlMs',
  'no-space': 'the disk was full',
  'no-consent': 'the visitor has refused, or Global Privacy Control has',
  'before-send': 'a beforeSend returned null',
  'sampled-out': 'this device is not in the sample',
  'shut-down': 'the instance was shut down',
}

const print = (text: string, ...more: unknown[]) => console.debug(`[waymark] ${text}`, ...more)

/** Prints the way of each call, at the console's level "verbose": queued, then accepted, handed off or dropped. */
export const trail = () =>
  ({
    name: 'trail',
    beforeSend(draft: Draft) {
      const { kind, event, userId, properties, traits } = draft
      print(`${kind} "${event ?? userId}": on its way to the queue`, properties ?? traits ?? '')
      return draft
    },
    start({ on }: Pick<Host, 'on'>) {
      const stops = [
        on('sent', ({ kind, ids, status }) => print(`${kind}, ${ids.length} of them: ${status}`, ids)),
        on('drop', ({ kind, id, reason, errorCode }) =>
          print(`${kind}: dropped, because ${reasons[reason]} (${errorCode ?? reason})`, id),
        ),
        on('storage', ({ store }) => print(`events are kept in ${store}`)),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }) satisfies Plugin
