import { availableParallelism, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { readdirSync, writeFileSync } from 'node:fs'
import { boundMemory } from './link/boundMemory.js'
import { sayStartingMs, Supervisor, type EngineWord } from './link/Supervisor.js'
import { watchMemory } from './link/watchMemory.js'
import { Logger } from './Logger.js'
import { helpText } from './options/helpText.js'
import { parseArguments, supervisedRole } from './options/parseArguments.js'
import { completeOptions, type Role, type ServerOptions } from './options/ServerOptions.js'
import type { RunningEngine } from './engine/startEngine.js'
import { startIngest } from './startIngest.js'
import { isDiskFull } from './OperatorError.js'
import { hashPasswordCommand } from './users/hashPasswordCommand.js'
import { version } from './version.js'
import { whyFailing } from './wal/whyFailing.js'
import { reasonOf } from './reasonOf.js'
import { isOutOfRoom } from './store/transactions.js'

/**
 * Of nine times the share for what takes requests. As an idle process (SCHED_IDLE) it would store 5,000 rows a second
 * beside 64 connections on two processors, where 40,000 are wanted, and starve queries on a busy host; what is idle can
 * also not be changed back by its own user.
 */
const engineNice = 10

/** With a file of users SIGHUP does not end the service, but reads that file again. */
const endingSignals = ({ usersFile }: ServerOptions): NodeJS.Signals[] =>
  usersFile ? ['SIGTERM', 'SIGINT'] : ['SIGTERM', 'SIGINT', 'SIGHUP']

/** Who reads these may go (`2>&1 | head`), and their disk may be full: that ends nothing, and loses what was to be said. */
const outliveReaders = () => {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}

/** Ends the process once everything is closed, and says so when that fails. */
const exitAfter = (logger: Logger, close: () => Promise<void>) => {
  close().then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error('Stopping failed.', { reason: reasonOf(error) })
      process.exit(1)
    },
  )
}

/** So long an engine that ends may take to tell the service why. */
const endWithinMs = 1000

/** What nobody caught ends the process, in one line that is like the others. */
const logTheUncaught = (logger: Logger) => {
  process.on('uncaughtException', (error) => {
    logger.error('The process ends because of an error that nobody expected.', {
      reason: reasonOf(error),
      stack: error instanceof Error ? error.stack : undefined,
    })
    process.exit(1)
  })
  process.removeAllListeners('warning')
  process.on('warning', (warning) => logger.warn('Node warns.', { reason: warning.message }))
}

/**
 * glibc gives the system back what a batch needed, and takes it again page by page for the next one: on a quick machine
 * 4 % of what storing a row costs, on a slow one 13. So it keeps up to 64 MiB.
 */
const keptMemory = 'mmap_threshold=33554432 trim_threshold=67108864 top_pad=16777216'
  .split(' ')
  .map((each) => `glibc.malloc.${each}`)
  .join(':')

/** DuckDB's calls and the file system share libuv's pool, and its size is read once, when Node starts. */
const engineEnv = (): NodeJS.ProcessEnv => ({
  GLIBC_TUNABLES: keptMemory,
  ...process.env,
  UV_THREADPOOL_SIZE: process.env['UV_THREADPOOL_SIZE'] ?? String(Math.max(16, 4 * availableParallelism())),
})

/** Where both processes want a processor, acceptance goes first. */
const goBehind = () => {
  setPriority(engineNice)
  // On Linux that is of one thread alone. DuckDB works in those of libuv's pool, which are there by now; whatever
  // is made from here on inherits it.
  if (process.platform !== 'linux') return
  for (const thread of readdirSync('/proc/self/task')) {
    try {
      setPriority(Number(thread), engineNice)
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Of two processes that run short of memory the system shall take this one. */
const offerToOomKiller = () => {
  if (process.platform !== 'linux') return
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // In a container that may not say so the system chooses by size, which is this one too.
  }
}

const runIngest = async (options: ServerOptions, logger: Logger, role: Role): Promise<void> => {
  const ingest = await startIngest(options, role)
  const supervisor = new Supervisor({
    program: fileURLToPath(import.meta.url),
    args: [...process.argv.slice(2), '--role', supervisedRole],
    env: engineEnv(),
    logger,
    onFailed: (reason) => ingest.engine?.storing.fail('engine', whyFailing(new Error(reason))),
  })
  let stopping: Promise<void> | undefined
  const close = async () => {
    await ingest.stop()
    await supervisor.stop()
    await ingest.close()
  }
  for (const signal of endingSignals(options)) {
    process.on(signal, () => {
      if (stopping !== undefined) return
      logger.info('Stopping.', { reason: signal })
      exitAfter(logger, () => (stopping = close()))
    })
  }
  if (options.usersFile) process.on('SIGHUP', () => ingest.reloadUsers())
  if (role !== 'engine' && (options.apiKeys ?? []).length === 0) {
    logger.warn('No API key is set (--api-keys): every /track, /identify and /alias will be answered by 401.')
  }
  const { engine } = ingest
  if (engine !== undefined && role !== 'ingest') {
    engine.link.on('silent', () => supervisor.kill('It said nothing for 20 seconds.'))
    const first = await supervisor.start()
    if (first.kind === 'fatal') {
      await close()
      throw new Error(first.reason)
    }
    if (first.kind === 'slow')
      logger.warn('The engine is still being started; events are accepted meanwhile.')
    else await engine.link.whenUp(10_000)
  }
  logger.info('Ready.', { url: ingest.url })
  const { url, postgresPort } = ingest
  const wire = postgresPort === undefined ? '' : ` and ${new URL(url).hostname}:${postgresPort} (Postgres)`
  process.stdout.write(`waymark-server ready at ${url}${wire}\n`)
}

/** With a parent, that decides when this process ends, and tells what is wrong. */
const runEngine = async (options: ServerOptions, logger: Logger, isSupervised: boolean): Promise<void> => {
  const tellParent = (word: EngineWord) => process.send?.(word)
  // The parent was killed, so this process is meant to be dead too; all that was accepted is on disk.
  process.once('disconnect', () => process.exit(1))
  offerToOomKiller()
  const { engineMemoryBytes, logLevel } = completeOptions(options)
  goBehind()
  boundMemory(engineMemoryBytes)
  watchMemory(engineMemoryBytes, logLevel === 'silent')
  const saying = setInterval(() => tellParent({ kind: 'starting' }), sayStartingMs)
  try {
    // Loaded here, because the ingest process shall not load DuckDB.
    const { startEngine } = await import('./engine/startEngine.js')
    let isStopping = false
    const engine: RunningEngine = await startEngine(options, {
      endMe(reason) {
        // Waiting for what is under way could take for ever, and what is not stored stays in the log.
        const end = () => process.kill(process.pid, 'SIGKILL')
        if (!isSupervised) end()
        process.send?.({ kind: 'fatal', reason } satisfies EngineWord, end)
        setTimeout(end, endWithinMs)
      },
      restart() {
        if (isStopping) return
        isStopping = true
        logger.info('The engine is started again to erase persons.')
        tellParent({ kind: 'restart' })
        exitAfter(logger, () => engine.close())
      },
    })
    if (options.usersFile) process.on('SIGHUP', () => undefined)
    for (const signal of endingSignals(options)) {
      process.on(signal, () => {
        // A terminal sends its signal to both; the parent still needs this one until it has stopped itself.
        if (isStopping || (isSupervised && signal !== 'SIGTERM')) return
        isStopping = true
        exitAfter(logger, () => engine.close())
      })
    }
    clearInterval(saying)
    tellParent({ kind: 'ready' })
    if (!isSupervised) process.stdout.write('waymark-server engine ready\n')
  } catch (error) {
    if (!isSupervised) throw error
    if (isDiskFull(reasonOf(error)) || isOutOfRoom(error)) {
      // Room may come at any moment, and events are accepted meanwhile as far as the files of the log go.
      logger.error('The engine cannot open the store on a full disk; it is tried again.', {
        reason: reasonOf(error),
      })
      process.exit(1)
    }
    // The channel must have taken it before the process ends.
    process.send?.({ kind: 'fatal', reason: reasonOf(error) } satisfies EngineWord, () => process.exit(1))
  }
}

/** A command works on a data folder and ends. It is loaded here, because it may need DuckDB. */
const runCommandLine = async (name: string): Promise<void> => {
  const { runCommand } = await import('./commands/runCommand.js')
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  const complain = (line: string) => void process.stderr.write(`${line}\n`)
  process.exitCode = await runCommand(
    name,
    { argv: process.argv.slice(3), env: process.env, print },
    complain,
  )
}

const start = async (): Promise<void> => {
  outliveReaders()
  // DuckDB makes its files as the system lets it, and so does Node unless it is told otherwise.
  process.umask(0o077)
  const [, , first] = process.argv
  if (first === 'hash-password') return hashPasswordCommand()
  if (first !== undefined && !first.startsWith('-')) return runCommandLine(first)
  const parsed = parseArguments(process.argv.slice(2), process.env)
  if (parsed.kind === 'help') {
    process.stdout.write(helpText)
    return
  }
  if (parsed.kind === 'version') {
    process.stdout.write(`waymark-server ${version}\n`)
    return
  }
  if (parsed.kind === 'wrong') {
    process.stderr.write(`${parsed.problem} See --help.\n`)
    process.exitCode = 2
    return
  }
  const { role, isSupervised, options } = parsed
  const logger = new Logger(options.logLevel ?? 'info')
  logTheUncaught(logger)
  // With a log in files the engine is a process without a port, whoever starts it.
  if (isSupervised || (role === 'engine' && options.log === undefined)) {
    await runEngine(options, logger, isSupervised)
  } else await runIngest(options, logger, role)
}

start().catch((error: unknown) => {
  process.stderr.write(`${reasonOf(error)}\n`, () => process.exit(1))
})
