/**
 * What became of the events of one scenario.
 * @param {Set<string>} expected
 * @param {{ id: string, messageId: string | undefined }[]} arrivals
 */
export function account(expected, arrivals) {
  /** @type {Map<string, (string | undefined)[]>} */
  const copies = new Map()
  for (const { id, messageId } of arrivals) copies.set(id, [...(copies.get(id) ?? []), messageId])
  let [lost, twice, twiceOtherId] = [0, 0, 0]
  for (const id of expected) {
    const [first, ...more] = copies.get(id) ?? []
    if (!copies.has(id)) lost++
    twice += more.length
    twiceOtherId += more.filter((other) => other === undefined || other !== first).length
  }
  return { events: expected.size, lost, twice, twiceOtherId }
}
