/** What TO_CHAR of PostgreSQL, Redshift, Snowflake and Oracle writes, by what strftime calls it. */
const elements: Readonly<Record<string, string>> = {
  yyyy: '%Y',
  yy: '%y',
  iyyy: '%G',
  iw: '%V',
  mm: '%m',
  mon: '%b',
  ddd: '%j',
  dd: '%d',
  dy: '%a',
  hh24: '%H',
  hh12: '%I',
  hh: '%I',
  mi: '%M',
  ss: '%S',
  ms: '%g',
  us: '%f',
  am: '%p',
  pm: '%p',
}
const part = /iyyy|yyyy|yy|iw|mm|mi|mon|ddd|dd|dy|hh24|hh12|hh|ss|ms|us|am|pm|"[^"%']*"|[-/,.;: ]/giy

/** The format in strftime's form; undefined when it has a part that strftime cannot write the same. */
export const toStrftime = (format: string): string | undefined => {
  let written = ''
  part.lastIndex = 0
  while (part.lastIndex < format.length) {
    const found = part.exec(format)?.[0]
    if (found === undefined) return undefined
    // Names and AM are written as the format writes them: only `Mon`, `Dy` and `AM` are as strftime writes.
    if (/^(?:mon|dy)$/i.test(found) && !/^[A-Z][a-z]+$/.test(found)) return undefined
    if (/^[ap]m$/.test(found)) return undefined
    written += elements[found.toLowerCase()] ?? found.replaceAll('"', '')
  }
  return written
}
