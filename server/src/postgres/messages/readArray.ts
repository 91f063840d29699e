/** Reads an array as Postgres writes it, `{1,NULL,"a b"}`; undefined when the text is no array, or has several dimensions. */
export const readArray = (text: string): (string | null)[] | undefined => {
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined
  const inner = text.slice(1, -1)
  if (inner.trim() === '') return []
  const items: (string | null)[] = []
  const item = /\s*(?:"((?:[^"\\]|\\.)*)"|([^",{}]+))\s*(,|$)/sy
  for (;;) {
    const found = item.exec(inner)
    if (found === null) return undefined
    const [, quoted, plain, end] = found
    if (quoted !== undefined) items.push(quoted.replaceAll(/\\(.)/gs, '$1'))
    else items.push(/^null$/i.test(plain!.trim()) ? null : plain!.trim())
    if (end === '') return items
  }
}
