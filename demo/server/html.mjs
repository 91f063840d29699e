const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (/** @type {unknown} */ value) =>
  String(value ?? '').replace(/[&<>"']/g, (sign) => entities[/** @type {keyof typeof entities} */ (sign)])

/** @typedef {{ markup: string }} Markup */

const isMarkup = (/** @type {unknown} */ value) =>
  typeof value === 'object' && value !== null && 'markup' in value

const fill = (/** @type {unknown} */ value) =>
  isMarkup(value) ? /** @type {Markup} */ (value).markup : escape(value)

/**
 * A template whose values are escaped, other templates excepted; an array is written one after the other.
 * @param {TemplateStringsArray} strings
 * @param {...unknown} values
 * @returns {Markup}
 */
export function html(strings, ...values) {
  const filled = values.map((value) => (Array.isArray(value) ? value.map(fill).join('') : fill(value)))
  return { markup: String.raw({ raw: strings }, ...filled) }
}
