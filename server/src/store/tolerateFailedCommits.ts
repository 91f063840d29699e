let installed = false

/**
 * When a commit fails, LMDB's library rejects not only the promise that it gave out, which is
 * handled, but also one of its own that nobody can reach. That one must not end the process.
 */
export const tolerateFailedCommits = (): void => {
  if (installed) return
  installed = true
  process.on('unhandledRejection', (error) => {
    const ofLog = typeof error === 'object' && error !== null && 'commitError' in error
    if (!ofLog) throw error
  })
}
