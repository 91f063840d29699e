import { stored } from '../stored.js'

/** @typedef {{ id: string, name: string } | null} Visitor */

/** @type {ReturnType<typeof stored<Visitor>>} */
const visitor = stored('fernweg.visitor', null)

export const readVisitor = visitor.get
export const watchVisitor = visitor.watch
export const signOut = () => visitor.set(null)

/**
 * A shop with accounts has an id for each; this one makes the same id from the same address (FNV-1a), so that signing
 * up twice is one person.
 * @param {string} name
 * @param {string} email
 */
export function signUp(name, email) {
  let hash = 0x811c9dc5
  for (const sign of email.trim().toLowerCase())
    hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 0x01000193)
  const id = `walker-${(hash >>> 0).toString(36)}`
  visitor.set({ id, name })
  return id
}
