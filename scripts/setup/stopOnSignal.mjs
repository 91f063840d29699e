/**
 * Runs `stop` once at Ctrl-C or SIGTERM, then ends the process.
 * @param {() => Promise<void>} stop
 */
export function stopOnSignal(stop) {
  let isStopping = false
  const end = async () => {
    if (isStopping) return
    isStopping = true
    await stop()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end())
}
