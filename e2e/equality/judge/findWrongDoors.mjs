/**
 * Through the door of a device that is to be recorded requests must have passed, and through no other.
 * @param {import('../types').Truth} truth
 * @param {Record<string, number>} requests by device
 */
export function findWrongDoors({ events }, requests) {
  const recorded = new Set(events.map(({ device }) => device))
  return Object.entries(requests).flatMap(([device, count]) => {
    if (recorded.has(device) === count > 0) return []
    return count
      ? `${device} must not be recorded, and sent ${count} requests.`
      : `${device} sent nothing, though its events are to be recorded.`
  })
}
