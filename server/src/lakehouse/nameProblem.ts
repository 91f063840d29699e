export const shortName = (name: string) => JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)

/** What is wrong with the names of fields that are to be columns; undefined when they are fine. */
export const nameProblem = (names: Iterable<string>): string | undefined => {
  const spelled = new Map<string, string>()
  for (const name of names) {
    if (name === '') return 'A field has an empty name.'
    if (name.includes('\0')) return `The name of the field ${shortName(name)} holds the character U+0000.`
    const key = name.toLowerCase()
    const other = spelled.get(key)
    if (other !== undefined)
      return `The fields ${shortName(other)} and ${shortName(name)} differ only in case.`
    spelled.set(key, name)
  }
  return undefined
}
