/** So many people, of whom so many did something. */
export interface Share {
  people: number
  did: number
}

export interface Comparison {
  /** The share less the first one. */
  difference: number
  /** Between which it lies, for all comparisons together, in 95 of 100 such studies. */
  low: number
  high: number
  /** How often chance alone makes a difference at least as large; corrected for the number of comparisons. */
  p: number
  /** How many people each of the two must have until a difference as large as this one is told from chance in 80 of 100 studies; undefined where it is already, or where there is none. */
  needed: number | undefined
}

/** With more people, both tests say the same. */
const mostExact = 10_000
const alpha = 0.05
const power = 0.8

const density = (z: number) => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)

/** How much of the normal distribution lies beyond `z`, from 0 on: a series and, far out, a continued fraction. */
const tail = (z: number): number => {
  if (z < 4) {
    let term = z
    let sum = z
    for (let n = 3; term > sum * 1e-17; n += 2) sum += term *= (z * z) / n
    return 0.5 - sum * density(z)
  }
  let fraction = z
  for (let n = 60; n > 0; n--) fraction = z + n / fraction
  return density(z) / fraction
}

/** Beyond which so much of the normal distribution lies, of less than a half. */
export const quantile = (share: number): number => {
  let [low, high] = [0, 40]
  for (let at = 0; at < 100; at++) {
    const middle = (low + high) / 2
    if (tail(middle) > share) low = middle
    else high = middle
  }
  return low
}

const coefficients = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]
/** The logarithm of `n!`, by Lanczos. */
const logFactorial = (n: number): number => {
  const sum = coefficients.reduce((all, each, at) => all + each / (n + at + 1), 0.99999999999980993)
  const base = n + coefficients.length - 0.5
  return Math.log(2 * Math.PI) / 2 + (n + 0.5) * Math.log(base) - base + Math.log(sum)
}
const logChoose = (n: number, k: number) => logFactorial(n) - logFactorial(k) - logFactorial(n - k)

/** Fisher's exact test: all tables with the same sums that are no more likely than this one. */
const fisher = (a: Share, b: Share): number => {
  const did = a.did + b.did
  const logOf = (k: number) => logChoose(a.people, k) + logChoose(b.people, did - k)
  const [whole, here] = [logChoose(a.people + b.people, did), logOf(a.did)]
  let p = 0
  for (let k = Math.max(0, did - b.people); k <= Math.min(did, a.people); k++) {
    const log = logOf(k)
    // Equally likely ones differ in their last digits.
    if (log <= here + 1e-7) p += Math.exp(log - whole)
  }
  return Math.min(1, p)
}

const shareOf = ({ did, people }: Share) => did / people

/** The test of two proportions by the normal distribution. */
const zTest = (a: Share, b: Share): number => {
  const pooled = (a.did + b.did) / (a.people + b.people)
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / a.people + 1 / b.people))
  return error === 0 ? 1 : Math.min(1, 2 * tail(Math.abs(shareOf(a) - shareOf(b)) / error))
}

/** Wilson's interval of a share. */
const intervalOf = (share: Share, z: number): [low: number, high: number] => {
  const { people } = share
  const middle = shareOf(share) + (z * z) / (2 * people)
  const half = z * Math.sqrt((shareOf(share) * (1 - shareOf(share)) + (z * z) / (4 * people)) / people)
  const scale = 1 + (z * z) / people
  return [(middle - half) / scale, (middle + half) / scale]
}

/** How many people each of two must have to tell these shares apart. */
export const peopleNeeded = (p: number, q: number, level: number): number => {
  const mean = (p + q) / 2
  const [z, more] = [quantile(level / 2), quantile(1 - power)]
  const noise = z * Math.sqrt(2 * mean * (1 - mean)) + more * Math.sqrt(p * (1 - p) + q * (1 - q))
  return Math.ceil((noise / (p - q)) ** 2)
}

/** Holm's correction: the smallest is multiplied by the number of all, the next one by one less, and none gets smaller than one before. */
export const correct = (values: readonly number[]): number[] => {
  const corrected = [...values]
  let least = 0
  const sorted = [...values.entries()].toSorted(([, a], [, b]) => a - b)
  for (const [rank, [at, p]] of sorted.entries())
    corrected[at] = least = Math.max(least, Math.min(1, p * (values.length - rank)))
  return corrected
}

/** Each share against the first; all have people. */
export function compareShares(first: Share, others: readonly Share[]): Comparison[] {
  const level = alpha / Math.max(1, others.length)
  const z = quantile(level / 2)
  const [low, high] = intervalOf(first, z)
  const values = others.map((other) =>
    first.people + other.people > mostExact ? zTest(first, other) : fisher(first, other),
  )
  const corrected = correct(values)
  return others.map((other, at) => {
    const [p, share, own] = [corrected[at] ?? 1, shareOf(other), intervalOf(other, z)]
    const difference = share - shareOf(first)
    return {
      difference,
      // Newcombe's interval of a difference.
      low: difference - Math.hypot(share - own[0], high - shareOf(first)),
      high: difference + Math.hypot(own[1] - share, shareOf(first) - low),
      p,
      needed: p <= alpha || difference === 0 ? undefined : peopleNeeded(share, shareOf(first), level),
    }
  })
}
