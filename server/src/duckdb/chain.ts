import {
  ARRAY,
  BIGINT,
  type DuckDBConnection,
  type DuckDBListVector,
  DuckDBScalarFunction,
  HUGEINT,
  LIST,
} from '@duckdb/node-api'

/** The most steps of a funnel: a bit for each is in the key of an event. */
export const maxSteps = 10
/** What a key without its steps is multiplied by. */
export const maskFactor = 2 ** maxSteps

/** Words of 32 bits: two of the sequence number and the steps, two of the microseconds. */
const wordsAKey = 4

/**
 * Microseconds after the first event of the list, and where in the words the event is. The room grows and stays: the
 * function runs on one thread, and calls nobody.
 */
let times = new Float64Array(4096)
let places = new Uint32Array(4096)
/** The latest start from which so many steps were taken. */
const starts = new Float64Array(maxSteps + 1)

/** Whether the event at one place was accepted after the one at the other. */
const isAfter = (words: Uint32Array, a: number, b: number): boolean =>
  words[a + 1] === words[b + 1] ? words[a]! > words[b]! : words[a + 1]! > words[b + 1]!

const isBehind = (words: Uint32Array, time: number, place: number, at: number): boolean =>
  times[at]! > time || (times[at] === time && isAfter(words, places[at]!, place))

/** A list comes in the order of the table, but for late events and for what several threads have read. */
const sort = (words: Uint32Array, length: number): void => {
  let movesLeft = 32 * length
  for (let next = 1; next < length && movesLeft > 0; next++) {
    const time = times[next]!
    const place = places[next]!
    let at = next
    for (; at > 0 && isBehind(words, time, place, at - 1); at--) {
      times[at] = times[at - 1]!
      places[at] = places[at - 1]!
    }
    times[at] = time
    places[at] = place
    movesLeft -= next - at
  }
  if (movesLeft > 0) return
  const [unsorted, unsortedPlaces] = [times.slice(0, length), places.slice(0, length)]
  const order = Uint32Array.from(unsorted.keys()).sort(
    (a, b) =>
      unsorted[a]! - unsorted[b]! || (isAfter(words, unsortedPlaces[a]!, unsortedPlaces[b]!) ? 1 : -1),
  )
  for (const [at, from] of order.entries()) {
    times[at] = unsorted[from]!
    places[at] = unsortedPlaces[from]!
  }
}

/** Puts the events of a list into the order of their time, and of equal times into that of their acceptance. */
const putInOrder = (words: Uint32Array, first: number, length: number): void => {
  if (length > times.length) {
    const room = 2 ** Math.ceil(Math.log2(length))
    const more = new Float64Array(room)
    places = new Uint32Array(room)
    times = more
  }
  // Microseconds since 1970 beyond the year 2255 are no whole numbers of a double, those of 285 years are.
  const low = words[first + 2]!
  const high = words[first + 3]! | 0
  let isInOrder = true
  for (let at = 0, place = first; at < length; at++, place += wordsAKey) {
    const time = ((words[place + 3]! | 0) - high) * 2 ** 32 + words[place + 2]! - low
    times[at] = time
    places[at] = place
    if (at > 0 && isBehind(words, time, place, at - 1)) isInOrder = false
  }
  if (!isInOrder) sort(words, length)
}

/**
 * How deep the deepest chain goes, and when it first gets there. Of all starts of a chain of so many steps the latest
 * leaves the most time for the next one, so it is enough to know that one.
 */
const findEnd = (words: Uint32Array, length: number, within: number) => {
  let depth = 0
  let end = 0
  starts.fill(-Infinity)
  for (let at = 0; at < length; at++) {
    const time = times[at]!
    const mask = words[places[at]!]! % maskFactor
    // From the last step on, so that one event is one step.
    for (let step = maxSteps; step > 0; step--) {
      if ((mask & (1 << (step - 1))) === 0) continue
      const start = step === 1 ? time : starts[step - 1]!
      if (!(time - start <= within)) continue
      starts[step] = start
      if (step > depth) {
        depth = step
        end = time
      }
    }
  }
  return { depth, end }
}

/**
 * Writes the keys of the chain that counts, which is the one that goes furthest, of these the first to get there, and
 * of these the one that begins first. `found` has zeros behind it.
 */
const writeChain = (
  words: Uint32Array,
  { first, length, within }: { first: number; length: number; within: number },
  found: Uint32Array,
  to: number,
): void => {
  if (length === 0) return
  putInOrder(words, first, length)
  const { depth, end } = findEnd(words, length, within)
  for (let at = 0, step = 0; step < depth && at < length; at++) {
    const place = places[at]!
    const low = words[place]!
    // Every start from which the end is still in time leads to it by the earliest event of each step.
    if ((low & (1 << step)) === 0 || (step === 0 && end - times[at]! > within)) continue
    const target = to + wordsAKey * step++
    const high = words[place + 1]!
    found[target] = (low >>> maxSteps) | (high << (32 - maxSteps))
    found[target + 1] = high >>> maxSteps
    found[target + 2] = words[place + 2]!
    found[target + 3] = words[place + 3]!
  }
}

/** The numbers of a vector as they lie in memory. Its public way makes a BigInt of each, which takes ten times as long. */
const wordsOf = (vector: unknown): Uint32Array => {
  const { buffer, byteOffset, byteLength } = (vector as { dataView: DataView }).dataView
  return new Uint32Array(buffer, byteOffset, byteLength / 4)
}

/**
 * `waymark_chain(keys, within)`: the events of one person that are the steps of a funnel, as docs/answers.md has the rule. A key
 * is an event's `orderKey` with its sequence number times `maskFactor`, plus a bit for each step that the event may be.
 * Keys come in any order; `within` is in microseconds, and the greatest BIGINT is no limit. The answer has an `orderKey` for each step that was taken, and zeros behind them.
 *
 * DuckDB calls it on the thread of the event loop, 2,048 persons at a time, and waits: a process that ends in good order
 * meanwhile never does.
 */
export const registerChain = (connection: DuckDBConnection): void =>
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name: 'waymark_chain',
      parameterTypes: [LIST(HUGEINT), BIGINT],
      returnType: ARRAY(HUGEINT, maxSteps),
      mainFunction: (_info, chunk, output) => {
        const lists = chunk.getColumnVector(0) as DuckDBListVector
        const within = chunk.getColumnVector(1)
        const words = wordsOf(lists.childVector)
        const found = wordsOf((output as unknown as { childData: unknown }).childData)
        found.fill(0)
        for (let row = 0; row < chunk.rowCount; row++) {
          const first = wordsAKey * lists.getEntryOffset(row)
          const length = lists.getEntryLength(row)
          const most = Number(within.getItem(row))
          const given = { first, length, within: most < 2 ** 63 ? most : Infinity }
          writeChain(words, given, found, row * maxSteps * wordsAKey)
        }
        output.flush()
      },
    }),
  )
