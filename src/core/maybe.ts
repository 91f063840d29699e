/** What `fn` returns, or undefined where it throws: for what a browser, a page or a stranger's text may deny. */
export const maybe = <T>(fn: () => T): T | undefined => {
  try {
    return fn()
  } catch {
    // As if there were nothing.
  }
}
