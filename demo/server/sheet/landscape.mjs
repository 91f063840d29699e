/** Small numbers that look random and are the same at every start (mulberry32). @param {number} seed */
function dice(seed) {
  let state = seed * 2_654_435_761
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const shapes = {
  fell: { hills: 11, from: 4, to: 9, hollow: 0.3, tilt: 0 },
  coast: { hills: 9, from: 4, to: 9, hollow: 0.25, tilt: 0.9 },
  forest: { hills: 16, from: 3, to: 7, hollow: 0.4, tilt: 0.2 },
  moor: { hills: 7, from: 7, to: 13, hollow: 0.2, tilt: 0.15 },
}

/**
 * A field of heights, most of them between 0 and 1: hills and hollows, and a slope towards the sea.
 * @param {{ seed: number, terrain: import('../catalogue.mjs').Terrain, columns: number, rows: number }} options
 * @returns {number[][]} by row, then column
 */
export function landscape({ seed, terrain, columns, rows }) {
  const roll = dice(seed)
  const { hills, from, to, hollow, tilt } = shapes[terrain]
  const bumps = Array.from({ length: hills }, () => ({
    x: roll() * columns,
    y: roll() * rows,
    radius: from + roll() * (to - from),
    stretch: 0.6 + roll() * 0.9,
    turn: roll() * Math.PI,
    height: roll() < hollow ? -0.25 - roll() * 0.3 : 0.35 + roll() * 0.45,
  }))
  const heightAt = (/** @type {number} */ x, /** @type {number} */ y) => {
    let height = 0.22 - tilt * (y / rows - 0.45)
    for (const bump of bumps) {
      const [dx, dy] = [x - bump.x, y - bump.y]
      const along = (dx * Math.cos(bump.turn) + dy * Math.sin(bump.turn)) / bump.stretch
      const across = dy * Math.cos(bump.turn) - dx * Math.sin(bump.turn)
      height += bump.height * Math.exp(-(along * along + across * across) / (2 * bump.radius * bump.radius))
    }
    // A little unevenness, so that no line looks ruled.
    return height + 0.018 * Math.sin(x * 0.9 + seed) * Math.sin(y * 1.1 + seed * 2)
  }
  const columnNumbers = Array.from({ length: columns }, (_, x) => x)
  const field = Array.from({ length: rows }, (_, y) => columnNumbers.map((x) => heightAt(x, y)))
  const summit = Math.max(...field.flat())
  // Land is scaled to one height for all sheets; below zero is water and stays as it is.
  return field.map((row) => row.map((height) => (height > 0 ? (height / summit) * 0.97 : height)))
}
