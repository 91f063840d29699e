/**
 * The pages of one tab. The page marks its page views by the step that led to it and by how often it was seen.
 */
export function createHistory() {
  /** @type {{ id: string, path: string, utm: import('../types').Utm, isFromNews: boolean, seen: number }[]} */
  let pages = []
  let at = -1
  const here = () => {
    const page = pages[at]
    if (!page) throw new Error('The plan does something in a tab where no page is open')
    return page
  }
  return {
    get here() {
      return here()
    },
    /** @param {{ id: string, path: string, utm: import('../types').Utm, isFromNews: boolean }} page */
    open(page) {
      pages = [...pages.slice(0, at + 1), { ...page, seen: 0 }]
      at = pages.length - 1
    },
    /** @param {number} by */
    move: (by) => void (at += by),
    /** Sees the page here; gives the mark of its page view. */
    see: () => `${here().id}#${++here().seen}`,
  }
}

/** @typedef {ReturnType<typeof createHistory>} TabHistory */
