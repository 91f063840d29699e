/** The order matters: a browser's user agent also names some of the browsers below it in this list. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

/** The browser that a user agent names; NULL where it names none that is known. */
export const browserOf = (userAgent: string): string =>
  `CASE ${browsers
    .map(([part, name]) => `WHEN contains(${userAgent}, '${part}') THEN '${name}'`)
    .join(' ')} END`
