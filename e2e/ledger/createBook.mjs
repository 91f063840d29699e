/** A request that arrives this soon after its events were tracked was handed over, not found later by another page. */
const handedOverWithinMs = 1500

/**
 * @typedef {object} Account what became of one scenario's events
 * @property {number} events that had to arrive
 * @property {number} lost
 * @property {number} twiceRaw copies that the page sent once too often
 * @property {number} twiceStored copies that the service kept
 * @property {number} mixedIds events whose copies carry different insert ids
 * @property {number} handedOver events that arrived while or right after their page left
 * @property {number} foundLater
 * @property {number} requests
 * @property {string[]} lostIds
 * @property {string[]} twiceIds with when their copies arrived
 */

/**
 * Keeps the list of what was tracked, and compares it with what arrived and what the service stored.
 */
export function createBook() {
  /** @type {Map<string, { promise: 'must' | 'may', remark: string }>} */
  const tracked = new Map()

  return {
    /** @param {string} id @param {'must' | 'may'} [promise] `may`: it was too young to be sure of */
    expect(id, promise = 'must', remark = '') {
      tracked.set(id, { promise, remark })
    },

    /** Whether all that must arrive is among these. @param {{ id: string, passed: boolean }[]} arrivals */
    isComplete(arrivals) {
      const there = new Set(arrivals.filter(({ passed }) => passed).map(({ id }) => id))
      return [...tracked].every(([id, { promise }]) => promise === 'may' || there.has(id))
    },

    /**
     * @param {import('./serve/createFaultProxy.mjs').FaultProxy} proxy
     * @param {Map<string, number>} stored rows by ledger id
     * @returns {Account}
     */
    close({ arrivals, requests }, stored) {
      const must = [...tracked].filter(([, { promise }]) => promise === 'must').map(([id]) => id)
      const lostIds = must.filter((id) => !stored.get(id))
      /** @type {Map<string, typeof arrivals>} */
      const byId = new Map()
      for (const arrival of arrivals) {
        if (arrival.passed) byId.set(arrival.id, [...(byId.get(arrival.id) ?? []), arrival])
      }
      const copies = [...byId.values()]
      const soon = copies.filter(([first]) => first && first.at - first.trackedAt < handedOverWithinMs)
      return {
        events: must.length,
        lost: lostIds.length,
        twiceRaw: copies.reduce((sum, all) => sum + all.length - 1, 0),
        twiceStored: [...stored.values()].reduce((sum, rows) => sum + rows - 1, 0),
        mixedIds: copies.filter((all) => new Set(all.map(({ insertId }) => insertId)).size > 1).length,
        handedOver: soon.length,
        foundLater: copies.length - soon.length,
        requests: requests.length,
        twiceIds: copies
          .filter((all) => all.length > 1)
          .map((all) => `${all[0]?.id} (after ${all.map((one) => one.at - one.trackedAt).join(', ')} ms)`),
        lostIds: lostIds.map((id) => `${id} ${tracked.get(id)?.remark ?? ''}`.trim()),
      }
    },
  }
}

/** @typedef {ReturnType<typeof createBook>} Book */
