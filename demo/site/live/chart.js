import { h } from '../h.js'

const height = 150
const room = { top: 12, right: 4, bottom: 26, left: 30 }
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })
const timeOf = (/** @type {number} */ minute) => clock.format(minute * 60_000)

/** The next 1, 2 or 5 times a power of ten, so that the axis reads easily. @param {number} value */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

/** @param {number} top @returns {number[]} */
const ticksTo = (top) => (top === 5 ? [0, 1, 2, 3, 4, 5] : [0, top / 2, top])

let drawn = ''

/**
 * Draws events per minute as bars, with both axes labelled.
 * @param {[minute: number, count: number][]} counts minutes since 1970
 * @param {number} first
 * @param {number} last
 */
export function drawChart(counts, first, last) {
  const place = document.querySelector('#chart')
  const width = Math.max(place.clientWidth, 240)
  const state = JSON.stringify([counts.toSorted((a, b) => a[0] - b[0]), first, width])
  const byMinute = new Map(counts)
  const all = Array.from({ length: last - first + 1 }, (_, index) => byMinute.get(first + index) ?? 0)
  const sum = all.reduce((total, count) => total + count, 0)
  const most = Math.max(...all)
  const caption = sum
    ? `${sum} ${sum === 1 ? 'event' : 'events'} in the last ${all.length} minutes, at most ${most} in one, at ${timeOf(first + all.indexOf(most))}.`
    : `No events in the last ${all.length} minutes.`
  document.querySelector('#chart-caption').textContent = caption
  if (state === drawn) return
  drawn = state

  const top = roundUp(Math.max(most, 5))
  const step = (width - room.left - room.right) / all.length
  const x = (/** @type {number} */ index) => room.left + index * step
  const y = (/** @type {number} */ count) =>
    height - room.bottom - (count / top) * (height - room.top - room.bottom)
  const rule = (/** @type {number} */ count) => [
    h('line', { class: 'rule', x1: room.left, x2: width - room.right, y1: y(count), y2: y(count) }),
    h('text', { x: room.left - 7, y: y(count) + 4, 'text-anchor': 'end' }, count),
  ]
  const bar = (/** @type {number} */ count, /** @type {number} */ index) =>
    h('rect', {
      class: index === all.length - 1 ? 'bar now' : 'bar',
      x: x(index) + step * 0.14,
      y: y(count),
      width: step * 0.72,
      height: y(0) - y(count),
    })
  const hour = (/** @type {number} */ minute, /** @type {number} */ index) => [
    h('line', { class: 'tick', x1: x(index) + step / 2, x2: x(index) + step / 2, y1: y(0), y2: y(0) + 5 }),
    h('text', { x: x(index) + step / 2, y: height - 8, 'text-anchor': 'middle' }, timeOf(minute)),
  ]
  const labels = all.flatMap((_, index) => {
    const isNearEdge = index < 1 || index > all.length - 2
    return (first + index) % 10 === 0 && !isNearEdge ? hour(first + index, index) : []
  })
  place.replaceChildren(
    h(
      'svg',
      { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': caption },
      ...ticksTo(top).flatMap(rule),
      ...all.map(bar),
      ...labels,
    ),
  )
}
