import { Logger } from './Logger.js'
import { completeOptions } from './options/ServerOptions.js'
import { helpText, parseArguments } from './options/parseArguments.js'
import { startServer } from './startServer.js'

const start = async (): Promise<void> => {
  const parsed = parseArguments(process.argv.slice(2), process.env)
  if (parsed.kind === 'help') {
    process.stdout.write(helpText)
    return
  }
  if (parsed.kind === 'wrong') {
    console.error(`${parsed.problem} See --help.`)
    process.exitCode = 2
    return
  }
  const server = await startServer(parsed.options)
  const logger = new Logger(parsed.options.logLevel ?? 'info')
  if ((parsed.options.apiKeys ?? []).length === 0) {
    logger.warn('No API key is set (--api-keys): every /track, /identify and /alias will be answered by 401.')
  }

  logger.info('Ready.', {
    url: server.url,
    pool_threads: Number(process.env['UV_THREADPOOL_SIZE'] ?? 4),
    queries_at_once: completeOptions(parsed.options).maxQueries,
  })

  const stop = (reason: string) => {
    logger.info('Stopping.', { reason })
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error('Stopping failed.', { reason: String(error) })
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => stop(signal))
  // The launcher was killed, so this process is meant to be dead too; all that was accepted is on disk.
  process.once('disconnect', () => process.exit(1))
  process.stdout.write(`waymark-server ready at ${server.url}\n`)
}

start().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
})
