/**
 * Who is who, by docs/api.md: "An anonymous id belongs to the first user it was linked to", and "/alias merges the
 * person of distinct_id into the person of new_user_id, which gives the name."
 */
export function createVisitors() {
  /** @type {Map<string, string>} */
  const owner = new Map()
  /** @type {Set<string>} */
  const users = new Set()
  /** @param {string} id @returns {string} */
  const personOf = (id) => {
    const next = owner.get(id)
    return next === undefined ? id : personOf(next)
  }
  return {
    personOf,
    isNamed: (/** @type {string} */ person) => users.has(person),
    /** @param {string} visitor @param {string} user */
    identify(visitor, user) {
      users.add(user)
      if (!owner.has(visitor)) owner.set(visitor, user)
    },
    /** @param {string} id @param {string} newUser */
    alias(id, newUser) {
      users.add(newUser)
      const [from, into] = [personOf(id), personOf(newUser)]
      if (from !== into) owner.set(from, into)
    },
  }
}
