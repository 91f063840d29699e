import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { writeFileSync } from 'node:fs'
import { boundMemory, goBehind, watchMemory } from './link/ownLimits.js'
import { sayStartingMs, Supervisor, type EngineWord, type ParentWord } from './link/Supervisor.js'
import { Logger } from './Logger.js'
import { parseArguments, supervisedRole, helpText } from './options/commandLine.js'
import { completeOptions, type ServerOptions } from './options/flags.js'
import type { RunningEngine } from './engine/startEngine.js'
import { isDiskFull, reasonOf } from './OperatorError.js'
import { hashPasswordCommand } from './users/passwordHash.js'
import { openOwnAccess, tellAccess } from './users/OwnAccess.js'
import { version } from './version.js'
import { whyFailing } from './wal/rejected.js'
import { isOutOfRoom } from './duckdb/transactions.js'

/**
 * Nice 10: when both want a processor, the ingest process gets nine times the engine's share. Beside a flood and two
 * joins without end an answer then takes 51 ms instead of 137 (medians, on a busy machine). An idle process
 * (SCHED_IDLE) would store only 5,000 rows a second beside 64 connections on two processors, where 40,000 are wanted.
 * It would also starve queries on a busy host, and its own user could not change it back.
 */
const engineNice = 10

/** With a users file SIGHUP does not end the service but makes it read that file again. */
const endingSignals = ({ usersFile }: ServerOptions): NodeJS.Signals[] =>
  usersFile ? ['SIGTERM', 'SIGINT'] : ['SIGTERM', 'SIGINT', 'SIGHUP']

/** The reader of an output may go (`2>&1 | head`), or its disk may be full. Then lines are lost, but the process goes on. */
const outliveReaders = () => {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}

/** Ends the process once everything is closed, and logs an error when closing fails. */
const exitAfter = (logger: Logger, close: () => Promise<void>) => {
  close().then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error('Stopping failed.', { reason: reasonOf(error) })
      process.exit(1)
    },
  )
}

/** An engine that ends may take so long to send the reason to its parent. */
const endWithinMs = 1000

/** In an engine `process.exit` waits for DuckDB, which waits for ever if it has called a function of this process. */
const endNow = () => process.kill(process.pid, 'SIGKILL')

/** An uncaught error ends the process, and is logged as one line of JSON like every other message. */
const logTheUncaught = (logger: Logger, end: () => void) => {
  process.on('uncaughtException', (error) => {
    logger.error('The process ends because of an error that nobody expected.', {
      reason: reasonOf(error),
      stack: error instanceof Error ? error.stack : undefined,
    })
    end()
  })
  process.removeAllListeners('warning')
  process.on('warning', (warning) => logger.warn('Node warns.', { reason: warning.message }))
}

/**
 * glibc returns the memory of a batch to the system and takes it again, page by page, for the next batch. That is 4 % of
 * the cost of storing a row on a fast machine and 13 % on a slow one. So glibc is told to keep up to 64 MiB. It keeps
 * them for each arena, of which it would make one a thread: with 66 threads of the pool, as on 16 processors, an engine
 * of 700 MB reached its limit without a statement.
 */
const keptMemory = 'mmap_threshold=33554432 trim_threshold=67108864 top_pad=16777216 arena_max=2'
  .split(' ')
  .map((each) => `glibc.malloc.${each}`)
  .join(':')

/** DuckDB's calls and the file system share the threads of libuv's pool. Its size is read once, when Node starts. */
const engineEnv = (): NodeJS.ProcessEnv => ({
  GLIBC_TUNABLES: keptMemory,
  ...process.env,
  UV_THREADPOOL_SIZE:
    process.env['UV_THREADPOOL_SIZE'] ?? String(Math.max(18, 4 * availableParallelism() + 2)),
})

/** When memory runs short the system shall end the engine, not the ingest process. */
const offerToOomKiller = () => {
  if (process.platform !== 'linux') return
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Some containers forbid this. Then the system ends the largest process, which is the engine too.
  }
}

const runIngest = async (options: ServerOptions, logger: Logger): Promise<void> => {
  const { news, undo } = await openOwnAccess(options)
  // The import is here because the engine process needs nothing of it.
  const { startIngest } = await import('./startIngest.js')
  const ingest = await startIngest(options, news?.link).catch((error: unknown) => {
    undo()
    throw error
  })
  const supervisor = new Supervisor({
    program: fileURLToPath(import.meta.url),
    args: [...process.argv.slice(2), '--role', supervisedRole],
    env: engineEnv(),
    logger,
    onEnded: (reason, how) => ingest.engine?.link.tellEnd(reason, how) ?? false,
    onFailed: (reason) => ingest.engine?.view.fail(whyFailing(new Error(reason))),
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
  const { role } = options
  const { engine } = ingest
  if (engine !== undefined && role !== 'ingest') {
    engine.link.on('silent', () => supervisor.kill('It said nothing for 20 seconds.'))
    const first = await supervisor.start()
    if (first.kind === 'fatal') {
      await close()
      undo()
      throw new Error(first.reason)
    }
    if (first.kind === 'slow')
      logger.warn('The engine is still being started; events are accepted meanwhile.')
    else await engine.link.whenUp(10_000)
  }
  logger.info('Ready.', { url: ingest.url })
  const { url, postgresPort } = ingest
  const wire = postgresPort === undefined ? '' : ` and ${new URL(url).hostname}:${postgresPort} (Postgres)`
  const told = news === undefined ? '' : tellAccess(news, { url, isTerminal: process.stdout.isTTY })
  process.stdout.write(`waymark-server ready at ${url}${wire}\n${told}`)
}

/** Runs the engine. A parent process, if there is one, decides when the engine ends and logs why it failed. */
const runEngine = async (options: ServerOptions, logger: Logger, isSupervised: boolean): Promise<void> => {
  const tellParent = (word: EngineWord) => process.send?.(word)
  // A killed parent means that the service shall end. All accepted events are on disk. An exit in good order would wait
  // for a statement that runs, and until then no other engine could open the data folder.
  process.once('disconnect', endNow)
  const begun = isSupervised
    ? new Promise<ParentWord>((resolve) => process.once('message', resolve))
    : undefined
  offerToOomKiller()
  const { engineMemoryBytes, logLevel, threads } = completeOptions(options)
  const pool = Number(process.env['UV_THREADPOOL_SIZE']) || 4
  boundMemory(engineMemoryBytes, pool + Math.max(threads, availableParallelism()))
  watchMemory(engineMemoryBytes, logLevel === 'silent')
  const saying = setInterval(() => tellParent({ kind: 'starting' }), sayStartingMs)
  try {
    // The import is here because the ingest process shall not load DuckDB.
    const { startEngine } = await import('./engine/startEngine.js')
    const { readBuiltIns } = await import('./sql/builtIns.js')
    await readBuiltIns()
    await begun
    // Everybody waits for a start, so it has its share of the processors, unless it takes long.
    const late = setTimeout(goBehind, sayStartingMs, engineNice)
    let isStopping = false
    const engine: RunningEngine = await startEngine(options, {
      endMe(reason, isByStatement = false) {
        // Waiting for running statements could take for ever, and rows that are not stored stay in the log.
        if (!isSupervised) endNow()
        process.send?.({ kind: 'fatal', reason, isByStatement } satisfies EngineWord, endNow)
        setTimeout(endNow, endWithinMs)
      },
      restart() {
        if (isStopping) return
        isStopping = true
        logger.info('The engine restarts to erase persons.')
        tellParent({ kind: 'restart' })
        exitAfter(logger, () => engine.close())
      },
    })
    if (options.usersFile) process.on('SIGHUP', () => undefined)
    for (const signal of endingSignals(options)) {
      process.on(signal, () => {
        // A terminal sends its signal to both processes, but the parent needs the engine until it has stopped itself.
        if (isStopping || (isSupervised && signal !== 'SIGTERM')) return
        isStopping = true
        exitAfter(logger, () => engine.close())
      })
    }
    clearTimeout(late)
    goBehind(engineNice)
    clearInterval(saying)
    tellParent({ kind: 'ready' })
    if (!isSupervised) process.stdout.write('waymark-server engine ready\n')
  } catch (error) {
    if (!isSupervised) throw error
    if (isDiskFull(reasonOf(error)) || isOutOfRoom(error)) {
      // Somebody may free room at any moment. Events are accepted meanwhile, until the log's files are full.
      logger.error('The engine cannot open the store on a full disk; it is tried again.', {
        reason: reasonOf(error),
      })
      process.exit(1)
    }
    // The process may end only once the message is sent.
    process.send?.({ kind: 'fatal', reason: reasonOf(error) } satisfies EngineWord, () => process.exit(1))
  }
}

/** Runs a command on a data folder. The import is here because a command may need DuckDB. */
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
  // DuckDB, and Node by default, make files with all the permissions that the umask allows.
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
  const { isSupervised, options } = parsed
  const logger = new Logger(completeOptions(options).logLevel)
  // With a log in files the engine process has no public port, also when it is started by hand.
  const isEngine = isSupervised || (options.role === 'engine' && options.log === undefined)
  logTheUncaught(logger, isEngine ? endNow : () => process.exit(1))
  if (isEngine) {
    await runEngine(options, logger, isSupervised)
  } else await runIngest(options, logger)
}

start().catch((error: unknown) => {
  process.stderr.write(`${reasonOf(error)}\n`, () => process.exit(1))
})
