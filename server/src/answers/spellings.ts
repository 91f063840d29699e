import { type Sql, sql } from './sql.js'

const pairs = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((first, _, all) => all.map((next) => first + next))

/** Codes with their names in English, which screens show. They are looked for when they are first asked for. */
const nameCodes = (type: 'region' | 'language') => {
  let known: ReadonlyMap<string, string> | undefined
  return () => {
    const names = new Intl.DisplayNames('en', { type, fallback: 'none' })
    return (known ??= new Map(
      pairs.map((code) => [code, names.of(code) ?? ''] as const).filter(([, name]) => name),
    ))
  }
}
const regions = nameCodes('region')
const languages = nameCodes('language')

export const codesOf = (codes: ReadonlyMap<string, string>, isIt: (name: string) => boolean): string[] =>
  [...codes].filter(([, name]) => isIt(name.toLowerCase())).map(([code]) => code)
const codeOf = (codes: ReadonlyMap<string, string>, name: string): string[] =>
  codesOf(codes, (known) => known === name)

/** What is stored for what people call it, if that differs. */
const storedAs: Readonly<Record<string, (name: string) => readonly string[]>> = {
  country: (name) => codeOf(regions(), name),
  language(name) {
    const [, language = name, region] = /^(.+) \((.+)\)$/.exec(name) ?? []
    const tags = codeOf(languages(), language)
    if (region === undefined) return tags
    return codeOf(regions(), region).flatMap((code) => tags.map((tag) => `${tag}-${code}`))
  },
  device: (name) => (name === 'mobile' ? ['phone'] : []),
}

/** The codes that a field has, with their names; undefined for a field without codes. */
export const codesIn = (field: string) =>
  field === 'country' ? regions() : field === 'language' ? languages() : undefined
export const codeSql = (value: Sql): Sql => sql`upper(split_part(${value}, '-', 1))`

/** What a value is shown as by its code, such as Germany; undefined for a field without codes. */
export const nameSql = (field: string, value: Sql): Sql | undefined => {
  const codes = codesIn(field)
  if (codes === undefined) return undefined
  const texts = (list: Iterable<string>) => sql`${[...list]}`
  return sql`list_extract(${texts(codes.values())}, list_position(${texts(codes.keys())}, ${codeSql(value)}))`
}

/** The texts that are compared for a value as people write it: what they wrote, and what is stored for it. */
export const spellings = (field: string, text: string): Sql[] =>
  [text, ...(storedAs[field]?.(text.toLowerCase()) ?? [])].map((each) => sql`lower(${each})`)
