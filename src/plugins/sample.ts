import type { Host, Plugin } from '../core/types'

/** Always the same number from 0 up to 1 for the same device. */
const placeOf = (deviceId: string) => {
  let hash = 0
  for (const character of deviceId) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x9e3779b1)
  return (hash >>> 0) / 2 ** 32
}

/**
 * Sends the events of a share of the devices, from 0 to 1: always the same ones. Every `identify` and `alias` is sent,
 * so that the users are known. What is left out is dropped as `sampled-out`.
 *
 * @example
 * waymark.init('pk_1', { endpoint: 'https://api.example.com', plugins: [sample(0.1)] })
 */
export function sample(rate: number): Plugin {
  let ids: Host['ids'] | undefined
  return {
    name: 'sample',
    start(host) {
      ids = host.ids
    },
    beforeSend: (draft) =>
      draft.kind !== 'track' || !ids || placeOf(ids().deviceId) < rate ? draft : 'sampled-out',
  }
}
