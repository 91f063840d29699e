/** The order decides: the browsers further down are also named by those above them. */
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
