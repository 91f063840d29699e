/**
 * Numbers that the seed decides (the algorithm mulberry32).
 * @param {number} seed
 */
export function createRandom(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** A whole number from `least` to `most`. @param {number} least @param {number} most */
  const whole = (least, most) => least + Math.floor(next() * (most - least + 1))
  return {
    whole,
    /** @template T @param {readonly T[]} list @returns {T} */
    pick(list) {
      const found = list[whole(0, list.length - 1)]
      if (found === undefined) throw new Error('There is nothing to pick')
      return found
    },
    /** @param {number} [share] */
    chance: (share = 0.5) => next() < share,
  }
}

/** @typedef {ReturnType<typeof createRandom>} Random */
