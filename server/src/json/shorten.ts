/** The first characters of a text, for a message. No character is cut in half. */
export const shorten = (text: string, most = 60): string => {
  if (text.length <= most) return text
  const characters = [...text.slice(0, 2 * most + 1)]
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : characters.join('')
}
