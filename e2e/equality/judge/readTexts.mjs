/** @param {import('../types').Card[]} cards @param {string} title */
export function cardOf(cards, title) {
  const card = cards.find((each) => each.title === title)
  if (!card) throw new Error(`There is no card ${title}, only ${cards.map((each) => each.title).join(', ')}`)
  return card
}

/** `1,234`, `1,234 people` @param {string | undefined} text */
export const readCount = (text) => Number(text?.replace(/ .*/, '').replaceAll(',', ''))

/** The first cell of a row; `(none)` and the like are no value. @param {string[] | undefined} cell */
export function readValue(cell) {
  const text = cell?.join(' ') ?? ''
  return /^\(.*\)$/.test(text) ? null : text
}

/** `Mon, 2 Mar 2026` as `2026-03-02`. @param {string[] | undefined} cell */
export function readDay(cell) {
  const [, day = '', month = '', year = ''] = /(\d+) (\w{3})\w* (\d{4})/.exec(cell?.join(' ') ?? '') ?? []
  const number = 'JanFebMarAprMayJunJulAugSepOctNovDec'.indexOf(month) / 3 + 1
  return `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
}
