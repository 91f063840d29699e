import { escape } from './escape.mjs'
import { aheadOfWaymark } from './summarise.mjs'

/** The head of a section: where waymark is not first in it. @param {string[]} lines */
export function renderBehind(lines) {
  if (lines.length === 0)
    return '<p class="behind">waymark is first, or shares the first place, in all of this section.</p>'
  return `<div class="behind"><b>Where waymark is not first:</b><ul>${lines.map((line) => `<li>${escape(line)}</li>`).join('')}</ul></div>`
}

/**
 * One line of it, where somebody is ahead. What is printed alike is alike.
 * @param {string} what
 * @param {import('./summarise.mjs').Figure[]} figures
 * @param {(value: number) => string} format
 */
export function sayBehind(what, figures, format) {
  const ours = figures.find(({ peer }) => peer === 'waymark')
  if (!ours) return []
  const ahead = aheadOfWaymark(figures).filter((one) => format(one.median) !== format(ours.median))
  if (ahead.length === 0) return []
  const names = ahead.map((one) => `${one.title} ${format(one.median)}`).join(', ')
  return [`${what}: ${names}; waymark ${format(ours.median)}.`]
}
