import {
  ARRAY,
  BIGINT,
  type DuckDBConnection,
  type DuckDBListVector,
  DuckDBScalarFunction,
  HUGEINT,
  LIST,
  UBIGINT,
} from '@duckdb/node-api'

/** The most steps of a funnel: a bit for each is in the key of an event. */
export const maxSteps = 10
/** The most steps that a visit's way is followed. */
export const maxMoves = 20
/** What a key without its steps is multiplied by. */
export const maskFactor = 2 ** maxSteps

/** Words of 32 bits: two of the sequence number and the steps, two of the microseconds. */
const wordsAKey = 4
const wordsAPlace = 2

/** Where the keys of a list are in the words. */
interface List {
  first: number
  length: number
}

/**
 * Microseconds after the first event of the list, and where in the words the event is. The room grows and stays, unless
 * it is large: the functions run on one thread, and call nobody.
 */
let times = new Float64Array(4096)
let places = new Uint32Array(4096)
const mostKept = 2 ** 20
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
const putInOrder = (words: Uint32Array, { first, length }: List): void => {
  if (length > times.length || times.length > mostKept) {
    const room = Math.max(4096, 2 ** Math.ceil(Math.log2(length)))
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
const writeChain = (words: Uint32Array, list: List, within: number, found: Uint32Array, to: number): void => {
  const { length } = list
  if (length === 0) return
  putInOrder(words, list)
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
  const { dataView, items } = vector as { dataView?: DataView; items: BigUint64Array }
  const { buffer, byteOffset, byteLength } = dataView ?? items
  return new Uint32Array(buffer, byteOffset, byteLength / 4)
}

/** The words of an answer, all zeros, which is an array of a fixed length for each row. */
const clearedWordsOf = (output: unknown): Uint32Array => {
  const words = wordsOf((output as { childData: unknown }).childData)
  words.fill(0)
  return words
}

/**
 * `waymark_chain(keys, within)`: the events of one person that are the steps of a funnel, as docs/answers.md has the rule. A key
 * is an event's `orderKey` with its sequence number times `maskFactor`, plus a bit for each step that the event may be.
 * Keys come in any order; `within` is in microseconds, and the greatest BIGINT is no limit. The answer has an `orderKey` for each step that was taken, and zeros behind them.
 */
const chain = DuckDBScalarFunction.create({
  name: 'waymark_chain',
  parameterTypes: [LIST(HUGEINT), BIGINT],
  returnType: ARRAY(HUGEINT, maxSteps),
  mainFunction: (_info, chunk, output) => {
    const lists = chunk.getColumnVector(0) as DuckDBListVector
    const limits = chunk.getColumnVector(1)
    const words = wordsOf(lists.childVector)
    const found = clearedWordsOf(output)
    for (let row = 0; row < chunk.rowCount; row++) {
      const list = { first: wordsAKey * lists.getEntryOffset(row), length: lists.getEntryLength(row) }
      const most = Number(limits.getItem(row))
      writeChain(words, list, most < 2 ** 63 ? most : Infinity, found, row * maxSteps * wordsAKey)
    }
    output.flush()
  },
})

/** Writes the pages of a visit from its first view of `start` on; a page that follows itself is there once. */
const writeWalk = (
  words: Uint32Array,
  list: List,
  pages: { words: Uint32Array; first: number },
  start: readonly [low: number, high: number] | undefined,
  found: Uint32Array,
  to: number,
): void => {
  putInOrder(words, list)
  const end = to + wordsAPlace * (maxMoves + 1)
  let target = to
  for (let at = 0; at < list.length && target < end; at++) {
    const page = pages.first + ((places[at]! - list.first) / wordsAKey) * wordsAPlace
    const low = pages.words[page]!
    const high = pages.words[page + 1]!
    if (target === to) {
      if (start !== undefined && (low !== start[0] || high !== start[1])) continue
    } else if (low === found[target - 2] && high === found[target - 1]) continue
    found[target++] = low
    found[target++] = high
  }
}

/**
 * `waymark_walk(keys, pages, start)`: the pages that a visit went to, one after the other. `keys` are the `orderKey`s
 * of its views, `pages` a number for the page of each, `start` that of the page from which on the visit is followed, or
 * 0. The answer has the numbers of at most `maxMoves` + 1 pages, and zeros behind them.
 */
const walk = DuckDBScalarFunction.create({
  name: 'waymark_walk',
  parameterTypes: [LIST(HUGEINT), LIST(UBIGINT), UBIGINT],
  returnType: ARRAY(UBIGINT, maxMoves + 1),
  mainFunction: (_info, chunk, output) => {
    const lists = chunk.getColumnVector(0) as DuckDBListVector
    const pages = chunk.getColumnVector(1) as DuckDBListVector
    const firstPages = wordsOf(chunk.getColumnVector(2))
    const words = wordsOf(lists.childVector)
    const wordsOfPages = wordsOf(pages.childVector)
    const found = clearedWordsOf(output)
    for (let row = 0; row < chunk.rowCount; row++) {
      const list = { first: wordsAKey * lists.getEntryOffset(row), length: lists.getEntryLength(row) }
      const first = wordsAPlace * pages.getEntryOffset(row)
      const [low, high] = [firstPages[2 * row]!, firstPages[2 * row + 1]!]
      const start = low === 0 && high === 0 ? undefined : ([low, high] as const)
      writeWalk(words, list, { words: wordsOfPages, first }, start, found, row * (maxMoves + 1) * wordsAPlace)
    }
    output.flush()
  },
})

/**
 * Functions of one person's or one visit's events. DuckDB calls them on the thread of the event loop, 2,048 rows at a
 * time, and waits: a process that ends in good order meanwhile never does.
 */
export const registerHistories = (connection: DuckDBConnection): void => {
  for (const each of [chain, walk]) connection.registerScalarFunction(each)
}
