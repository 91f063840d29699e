/** A lone surrogate is legal in JSON's grammar, but names no character, and no UTF-8 store takes it. */
export const mendSurrogates = (text: string): string => {
  if (!/\\u[dD]/.test(text)) return text
  return text.replaceAll(
    /\\u[dD][89abAB][\da-fA-F]{2}(?:\\u[dD][c-fC-F][\da-fA-F]{2})?|\\u[dD][c-fC-F][\da-fA-F]{2}|\\./g,
    (escape) => (escape.length === 6 && /^\\u[dD][89a-fA-F]/.test(escape) ? String.raw`\ufffd` : escape),
  )
}
