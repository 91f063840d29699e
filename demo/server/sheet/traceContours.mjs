/** @typedef {[number, number]} Point */

// Marching squares: which sides of a cell a line crosses, by which corners lie above the level
// (top left 8, top right 4, bottom right 2, bottom left 1). Sides: 0 top, 1 right, 2 bottom, 3 left.
const crossings = [
  [],
  [[3, 2]],
  [[2, 1]],
  [[3, 1]],
  [[0, 1]],
  [
    [3, 0],
    [2, 1],
  ],
  [[0, 2]],
  [[3, 0]],
  [[3, 0]],
  [[0, 2]],
  [
    [0, 1],
    [3, 2],
  ],
  [[0, 1]],
  [[3, 1]],
  [[2, 1]],
  [[3, 2]],
  [],
]

const share = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ level) =>
  (level - from) / (to - from)

/** @param {number[][]} heights @param {number} level @returns {[Point, Point][]} */
function findSegments(heights, level) {
  /** @type {[Point, Point][]} */
  const segments = []
  for (let y = 0; y < heights.length - 1; y++)
    for (let x = 0; x < heights[y].length - 1; x++) {
      const corners = [heights[y][x], heights[y][x + 1], heights[y + 1][x + 1], heights[y + 1][x]]
      const [topLeft, topRight, bottomRight, bottomLeft] = corners
      const code = corners.reduce((sum, height) => sum * 2 + Number(height > level), 0)
      /** @type {(() => Point)[]} */
      const sides = [
        () => [x + share(topLeft, topRight, level), y],
        () => [x + 1, y + share(topRight, bottomRight, level)],
        () => [x + share(bottomLeft, bottomRight, level), y + 1],
        () => [x, y + share(topLeft, bottomLeft, level)],
      ]
      for (const [from, to] of crossings[code]) segments.push([sides[from](), sides[to]()])
    }
  return segments
}

/**
 * The lines of one height, joined from cell to cell.
 * @param {number[][]} heights
 * @param {number} level
 * @returns {Point[][]}
 */
export function traceContours(heights, level) {
  const key = (/** @type {Point} */ [x, y]) => `${x.toFixed(4)},${y.toFixed(4)}`
  /** @type {Map<string, Set<[Point, Point]>>} */
  const ends = new Map()
  const left = new Set(findSegments(heights, level))
  for (const segment of left)
    for (const end of segment) ends.set(key(end), (ends.get(key(end)) ?? new Set()).add(segment))

  /** @param {Point[]} points */
  const extend = (points) => {
    for (;;) {
      const end = points[points.length - 1]
      const next = [...(ends.get(key(end)) ?? [])].find((segment) => left.has(segment))
      if (!next) return points
      left.delete(next)
      points.push(key(next[0]) === key(end) ? next[1] : next[0])
    }
  }

  const lines = []
  for (const segment of left) {
    left.delete(segment)
    lines.push(extend(extend([...segment]).toReversed()))
  }
  return lines
}
