import { landscape } from './sheet/landscape.mjs'
import { traceContours } from './sheet/traceContours.mjs'
import { findPath } from './sheet/findPath.mjs'

const columns = 60
const rows = 44
const cell = 10

/** @param {[number, number][]} points */
const line = (points) =>
  `M${points.map(([x, y]) => `${Math.round(x * cell)} ${Math.round(y * cell)}`).join('L')}`

/**
 * Quadratic curves through the middles of the points: a drawn line instead of a cut one.
 * @param {[number, number][]} points
 */
function curve(points) {
  if (points.length < 4) return line(points)
  const at = (/** @type {number} */ value) => Math.round(value * cell)
  let path = `M${at(points[0][0])} ${at(points[0][1])}`
  for (let index = 1; index < points.length - 1; index++) {
    const [x, y] = points[index]
    const [nextX, nextY] = points[index + 1]
    path += `Q${at(x)} ${at(y)} ${at((x + nextX) / 2)} ${at((y + nextY) / 2)}`
  }
  const [x, y] = points[points.length - 1]
  return `${path}L${at(x)} ${at(y)}`
}

// Colours stand in the picture: a stylesheet of the page does not reach into an <img>.
const style = `
svg{background:#f2eddd}path{fill:none;stroke-linejoin:round;stroke-linecap:round}
.c{stroke:#b98a5a;stroke-width:1;opacity:.75}.i{stroke:#a5713d;stroke-width:2;opacity:.85}
.w{stroke:#4f86a0;stroke-width:1;opacity:.65}.s{stroke:#2f6a88;stroke-width:2.5}
.u{stroke:#f2eddd;stroke-width:11}.t{stroke:#c23b22;stroke-width:4;stroke-dasharray:1 8}
.b{fill:#fffdf6;stroke:#3a3128;stroke-width:1}.r{fill:#c23b22}.g{stroke:#3a3128;opacity:.13}
@media(prefers-color-scheme:dark){svg{background:#1b2422}.c{stroke:#8d7a5c}.i{stroke:#b39a6d}.w{stroke:#4d8299}
.s{stroke:#6fb0cb}.u{stroke:#1b2422}.t{stroke:#ff7b58}.b{fill:#f1ead8;stroke:#0d1211}.r{fill:#e2553a}.g{stroke:#fff;opacity:.08}}`

/** A waymark as it is painted on trees. @param {[number, number]} point */
const blaze = ([x, y]) => {
  const [left, top] = [Math.round(x * cell) - 8, Math.round(y * cell) - 14]
  return (
    `<rect class="b" x="${left}" y="${top}" width="16" height="28"/>` +
    `<rect class="r" x="${left}" y="${top + 10}" width="16" height="8"/>`
  )
}

/**
 * Draws a sheet: contour lines of a made-up landscape, water, and the path that climbs least.
 * @param {import('./catalogue.mjs').Sheet} sheet
 * @returns {string} a whole SVG document
 */
export function drawSheet({ seed, terrain }) {
  const heights = landscape({ seed, terrain, columns, rows })
  const path = findPath({ heights, floor: terrain === 'coast' ? 0.04 : 0.01, seed })
  const levels = Array.from({ length: 30 }, (_, index) => index / 24 - 0.25)
  const contours = levels.map((level, index) => {
    const water = terrain === 'coast' || terrain === 'fell' ? 0 : -1
    const kind = Math.abs(level - water) < 0.01 ? 's' : level < water ? 'w' : index % 5 === 1 ? 'i' : 'c'
    const lines = traceContours(heights, level).filter((points) => points.length > 5)
    return lines.length ? `<path class="${kind}" d="${lines.map(curve).join('')}"/>` : ''
  })
  const width = (columns - 1) * cell
  const height = (rows - 1) * cell
  const grid = [1, 2, 3].map((part) => `M${(width * part) / 4} 0V${height}`).join('')
  const marks = [0.18, 0.52, 0.84].map((part) => blaze(path[Math.floor(path.length * part)]))
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"><style>${style}</style>` +
    `<path class="g" d="${grid}M0 ${height / 3}H${width}M0 ${(height * 2) / 3}H${width}"/>` +
    `${contours.join('')}<path class="u" d="${curve(path)}"/><path class="t" d="${curve(path)}"/>${marks.join('')}</svg>`
  )
}
