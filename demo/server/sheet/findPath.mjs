const maxStep = 2

/** @param {[number, number][]} points */
const soften = (points) =>
  points.map(([x, y], index) => {
    const near = points.slice(Math.max(0, index - 2), index + 3)
    return /** @type {[number, number]} */ ([
      x,
      near.length < 5 ? y : near.reduce((sum, at) => sum + at[1], 0) / 5,
    ])
  })

/**
 * The way from the left edge to the right one that climbs least and stays above `floor`, found column by column.
 * @param {{ heights: number[][], floor: number, seed: number }} options
 * @returns {[number, number][]}
 */
export function findPath({ heights, floor, seed }) {
  const rows = heights.length
  const columns = heights[0].length
  // People wander: a faint pull towards a wavy line keeps flat country from giving a ruled one.
  const pull = (/** @type {number} */ x) =>
    rows * (0.5 + 0.22 * Math.sin(x / 9 + seed) + 0.08 * Math.sin(x / 3.7 - seed))
  const outside = (/** @type {number} */ y) => (y < 4 || y > rows - 5 ? 3 : 0)
  const cost = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ from) =>
    9 * Math.abs(heights[y][x] - heights[from][x - 1]) +
    (heights[y][x] < floor ? 8 : 0) +
    outside(y) +
    0.05 * Math.abs(y - from) +
    0.035 * Math.abs(y - pull(x))

  let best = Array.from({ length: rows }, (_, y) => 0.01 * Math.abs(y - rows / 2))
  /** @type {number[][]} */
  const cameFrom = []
  for (let x = 1; x < columns; x++) {
    const step = Array.from({ length: rows }, (_, y) => {
      let pick = y
      for (let from = Math.max(0, y - maxStep); from <= Math.min(rows - 1, y + maxStep); from++)
        if (best[from] + cost(x, y, from) < best[pick] + cost(x, y, pick)) pick = from
      return pick
    })
    const previous = best
    cameFrom.push(step)
    best = step.map((from, y) => previous[from] + cost(x, y, from))
  }

  let y = best.indexOf(Math.min(...best))
  /** @type {[number, number][]} */
  const path = [[columns - 1, y]]
  for (let x = columns - 1; x > 0; x--) {
    y = cameFrom[x - 1][y]
    path.push([x - 1, y])
  }
  return soften(soften(path.toReversed()))
}
