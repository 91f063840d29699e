import { DaySalt, saltFile } from './analytics/DaySalt.js'
import { serveAlerts, signingSecretOf } from './alerts/alertRoutes.js'
import { analyticsRoutes } from './analytics/analyticsRoutes.js'
import { payloadTaker } from './analytics/payloadTaker.js'
import { Cleanups } from './Cleanups.js'
import { filePrefix, fileRoutes, docRoutes } from './files/fileRoutes.js'
import { doorPaths, screenPrefix, screenRoutes } from './files/screenRoutes.js'
import { framesOf, guestProxyRoutes } from './guests/GuestLinks.js'
import { ApiKeys } from './http/apiKeys.js'
import { Origins } from './http/cors.js'
import { refuse } from './http/HttpError.js'
import { Listener } from './http/Listener.js'
import { createPublicServer, listenAt } from './http/publicServer.js'
import { takeBase } from './http/behindProxy.js'
import { idsPath, idsRoutes } from './analytics/idsRoutes.js'
import { historyRoutes } from './history/historyRoutes.js'
import { Imports } from './history/Imports.js'
import type { EngineLink } from './link/EngineLink.js'
import { engineRoutes, noEngineRoutes, tasksRoute, findTask } from './link/engineRoutes.js'
import { openEngineSide, type EngineSide } from './link/openEngineSide.js'
import { Logger } from './Logger.js'
import { createRegistry, healthRoutes, metricsRoute } from './metrics/createRegistry.js'
import { mcpProxyRoute } from './mcp/McpTokens.js'
import { completeOptions, type ServerOptions } from './options/flags.js'
import { readPlan, logPlan } from './plan/readPlan.js'
import { eraseRoute, LocalRounds, Rounds } from './privacy/ErasureRounds.js'
import { LoggedRounds } from './cluster/LoggedErasures.js'
import { listenPostgres } from './postgres/door/listenPostgres.js'
import { savedRoute } from './saved/savedRoute.js'
import { type Arrived, senderRoutes } from './senders/senderRoutes.js'
import { analyticsCatalog } from './duckdb/quote.js'
import { asOperatorError, reasonOf } from './OperatorError.js'
import { Access, accessFile, openEnvironments } from './users/Access.js'
import { accessPath, accessRoutes, invitationPath, passwordPath } from './users/accessRoutes.js'
import { accessChanges } from './users/accessChanges.js'
import { authenticateBy, identifyBy, TokenTries } from './users/authenticate.js'
import { PasswordCheck } from './users/PasswordCheck.js'
import { sessionPath, loginRoutes, setupRoute } from './users/loginRoutes.js'
import { LoginTokens, type LoginLink } from './users/LoginTokens.js'
import { Users } from './users/Users.js'
import type { AcceptLog } from './wal/AcceptLog.js'
import { Intake } from './wal/Intake.js'
import type { EngineView } from './link/EngineView.js'
import { LagLimit, startLag } from './wal/LagLimit.js'
import { LogStore } from './wal/LogStore.js'
import { openLocalLog } from './link/openLocalLog.js'
import { openPostgresLog } from './cluster/log/openPostgresLog.js'
import { TaskIds } from './wal/TaskIds.js'

export interface RunningIngest {
  url: string
  /** Undefined when the Postgres protocol was not asked for. */
  postgresPort: number | undefined
  /** Undefined when this process has no engine, and so no data folder. */
  engine: { link: EngineLink; store: LogStore; view: EngineView } | undefined
  /** Reads the users file again. When it cannot be used, the users stay as they were. */
  reloadUsers(): void
  /** Stops taking requests and lets running ones end. The engine must still be there. */
  stop(): Promise<void>
  /** Closes what the engine may use. The engine must have ended. */
  close(): Promise<void>
}

/** How long running requests may take to end by themselves. */
const closeWaitMs = 3000

/**
 * Starts the part of the service that takes requests, checks them, writes them to the log, and answers. It does
 * not use DuckDB, so that no query can stop it. Rejects with one sentence that says why it cannot start.
 */
export const startIngest = async (given: ServerOptions, link?: LoginLink): Promise<RunningIngest> => {
  const options = completeOptions(given)
  const logger = new Logger(options.logLevel, options.writeLog)
  const { log: url, role, syncWaitMs } = options
  const takesEvents = url === undefined || role !== 'engine'
  const cleanups = new Cleanups()
  try {
    const users = new Users(options)
    /** Those that take events: of the flag, and made by clicking. */
    const environments = new Set(options.environments)
    const plan = options.planFile === '' ? undefined : readPlan(options.planFile)
    const apiKeys = new ApiKeys(options.apiKeys, environments, options.serverKeys)
    const logins = new PasswordCheck(users, logger)
    const tries = new TokenTries(logger)
    // With a log in files the process that takes events always has the data folder, even when the engine runs elsewhere.
    const engine =
      url !== undefined && role === 'ingest' ? undefined : await openEngineSide(options, { logger, cleanups })
    const local = url === undefined ? await openLocalLog({ ...engine!, logger, cleanups }) : undefined
    const followed = engine?.store.followed
    const shared =
      url === undefined ? undefined : await openPostgresLog({ ...options, url, followed, logger, cleanups })
    const opened = (local ?? shared)!
    const { log, applier, number } = opened
    const kept = shared === undefined ? accessFile(engine!.folder.access) : shared.access
    const access = await Access.open(kept, { logger, mayBeAway: url !== undefined && role === 'engine' })
    const takeAccess = () => {
      environments.clear()
      for (const each of [...options.environments, ...openEnvironments(access.state)]) environments.add(each)
      apiKeys.keep(access.state.keys)
      return users.keep(access.state.users)
    }
    takeAccess()
    const readable = () => [
      ...new Set([...environments, ...access.state.environments.map(({ name }) => name)]),
    ]
    if (apiKeys.isEmpty && takesEvents)
      logger.warn('There is no API key (--api-keys): every /track, /identify and /alias is answered by 401.')
    const taskIds = new TaskIds(opened.taskSecret)
    const tokens = new LoginTokens(opened.taskSecret, (name) => users.find(name)?.secret)
    const identify = identifyBy(logins, tokens)
    const authenticate = authenticateBy(identify)

    /** The last row that this engine has stored; without an engine, the last row that all others have stored. */
    const applied = () => engine?.view.appliedOf(engine.store.numberOf(analyticsCatalog)) ?? opened.stored()
    const lag = startLag({ last: opened.durable, applied }, cleanups)
    const lagLimit = new LagLimit({
      ...options,
      backlog: () => ({ rows: Math.max(0, log.last - opened.furthest()), bytes: log.bytes }),
      isStoring: opened.isStoring,
      logger,
    })
    const { durable: last, furthest, spent } = opened
    startLag({ last, applied: furthest, spent, onLook: lagLimit.look }, cleanups)
    const backlog = () => ({
      rows: Math.max(0, log.last - applied()),
      ...{ bytes: log.bytes, lagSeconds: lag.seconds },
    })
    const maxBacklogRows = url === undefined ? options.maxBacklogRows : Infinity
    const openIntake = (into: AcceptLog) =>
      new Intake({ ...options, maxBacklogRows, number, log: into, applier, taskIds, lagLimit, logger })
    const intake = openIntake(log)
    const accepted = { track: 0, identify: 0, alias: 0 }
    const noticed = { ids: 0, times: 0 }
    const salts = shared === undefined ? saltFile(engine!.folder.daySalt) : shared.salts
    const daySalt = new DaySalt(salts, logger)
    if (takesEvents) await daySalt.start()
    cleanups.add(() => daySalt.stop())
    const logged = plan && takesEvents ? await logPlan(plan, log, logger) : undefined
    cleanups.add(() => logged?.stop())
    const taker = payloadTaker({
      ...{ ...options, intake, accepted, noticed, daySalt, logger },
      plan: () => logged?.id,
    })
    const analytics = analyticsRoutes({ ...options, ...taker, environments, apiKeys })
    const arrived = new Map<string, Arrived>()
    const senders = senderRoutes({ ...options, ...taker, environments, apiKeys, arrived })
    const storing = () => engine?.view.failing
    const registry = createRegistry({
      routes: () => listener.routes(),
      accepted,
      logs: () => engine?.view.counts() ?? [],
      backlog,
      isAccepting: () => intake.isAccepting,
      storing,
      sharedLog: shared?.counts,
      engine: () => engine?.link.vitals,
      engineRestarts: () => engine?.link.restarts ?? 0,
      refusedStatements: () => engine?.breaker.refused().length ?? 0,
      dataFolder: engine?.folder.path,
    })
    const whenStored = async () => {
      const newest = await opened.newest()
      // This makes the engine store at once. Other followers of the log do not count here.
      void applier.reached(newest, syncWaitMs)
      if (await engine?.view.reached(engine.store.numberOf(analyticsCatalog), newest, syncWaitMs)) return
      const message =
        'Accepted rows still wait to be stored, so this would not be complete. Send again in a while.'
      throw refuse(503, 'not-yet-stored', message, { 'retry-after': '10' })
    }
    const openRounds = ({ link: engineLink, folder }: EngineSide) =>
      shared === undefined
        ? new LocalRounds({ link: engineLink, log: local!.log })
        : new LoggedRounds({
            ...shared,
            append: (record) => shared.ofUsers.append(record),
            secret: shared.taskSecret.toString('base64'),
            reader: () => LogStore.readerIn(folder.acceptLog),
          })
    const rounds = engine && new Rounds(openRounds(engine))
    const changes = accessChanges({ ...options, access, users })
    // Without the flag its library is not even read.
    const oidc =
      options.oidcIssuer === ''
        ? []
        : (await import('./users/oidc.js')).oidcRoutes(options, {
            secret: opened.taskSecret,
            changes,
            tokens,
            logger,
          })
    const ofUsers = shared === undefined ? intake : openIntake(shared.ofUsers)
    const history = engine && { ...options, environments, folder: engine.folder, intake: ofUsers, accepted }
    const imports = history && new Imports(history)
    cleanups.add(() => imports?.drop())
    const signingSecret = options.webhookSecret || signingSecretOf(opened.taskSecret)
    if (engine !== undefined)
      serveAlerts({ link: engine.link, intake: ofUsers, newest: opened.newest, logger })
    const paths = {
      events: analytics.map(({ path }) => path).filter((path) => !path.includes('{')),
      eventsBelow: options.senders.on.map((name) => `/${name}/`),
      // The provider's page leads back.
      open: [...doorPaths, ...oidc.map(({ path }) => path)],
      openBelow: [filePrefix, screenPrefix],
      ids: idsPath,
      access: [sessionPath, accessPath, invitationPath, passwordPath],
    }
    const listener: Listener = new Listener(
      [
        // Before the contract's, which say of every path that ends like one of theirs that it is a mistake.
        ...senders,
        ...analytics,
        ...fileRoutes(options.filesFolder),
        ...docRoutes(),
        ...healthRoutes({
          role: url === undefined ? 'both' : role,
          isAccepting: () => intake.isAccepting,
          problem: opened.problem,
          isEngineUp: () => engine?.link.isUp ?? false,
          storing,
          backlog,
        }),
        metricsRoute({ ...options, registry, authenticate, tries }),
        ...(options.idCookie ? idsRoutes : []),
        tasksRoute({
          authenticate,
          apiKeys,
          find: findTask({ taskIds, opened, engine }),
          whyWaiting: opened.whyWaiting,
        }),
        ...(engine === undefined
          ? noEngineRoutes
          : [
              ...screenRoutes(options.screensFolder, framesOf(engine.proxy)),
              ...guestProxyRoutes(engine.proxy),
              ...loginRoutes({
                ...{
                  environments: readable,
                  hasOidc: oidc.length > 0,
                  users,
                  link,
                  logins,
                  tokens,
                  identify,
                },
              }),
              setupRoute({ ...options, environments, users, apiKeys, noticed, arrived, authenticate }),
              ...accessRoutes({
                ...{ changes, access, users, apiKeys, authenticate, logins, tokens, tries },
                environments: options.environments,
              }),
              ...engineRoutes(engine.proxy, authenticate, whenStored),
              ...(options.mcpTokens.length > 0
                ? [mcpProxyRoute(options, { proxy: engine.proxy, tries })]
                : []),
              ...oidc,
              eraseRoute({ authenticate, rounds: rounds!, logger }),
              savedRoute({
                ...{ ...options, authenticate, signingSecret, environments: readable },
                intake: ofUsers,
                secret: opened.taskSecret,
              }),
              ...historyRoutes({ ...history!, authenticate, imports: imports!, proxy: engine.proxy }),
            ]),
      ],
      logger,
      { origins: new Origins(paths, options.origins) },
    )
    const server = createPublicServer(options, (request, response) => {
      takeBase(request, options.basePath)
      listener.listen(request, response)
    })
    const postgres =
      options.postgresPort === undefined || engine === undefined
        ? undefined
        : await listenPostgres({ ...options, ...engine, logger, logins, path: engine.folder.socket })
    cleanups.add(() => postgres?.destroyAll())
    access.on('changed', () => {
      const changed = takeAccess()
      postgres?.endUsers(changed)
    })
    const port = await listenAt(server, { host: options.host, port: options.port, flag: '--port' })
    engine?.link.open()
    const host = options.host.includes(':') ? `[${options.host}]` : options.host

    const stop = async () => {
      const ended = new Promise<void>((resolve) => server.close(() => resolve()))
      const clientsEnded = postgres?.stop()
      // A connection that becomes idle after `close` would be kept open for its next request.
      const sweep = setInterval(() => server.closeIdleConnections(), 20)
      const patience = setTimeout(() => {
        engine?.link.tell({ kind: 'stopping' })
        server.closeAllConnections()
        postgres?.destroyAll()
        rounds?.stop()
        // Requests with `sync=true` may wait for as long as the engine is away. Their rows are in the log.
        applier.stop()
      }, closeWaitMs)
      await ended
      await clientsEnded
      clearInterval(sweep)
      await listener.idle()
      clearTimeout(patience)
    }
    return {
      url: `http://${host}:${port}`,
      postgresPort: postgres?.port,
      engine,
      reloadUsers() {
        try {
          const changed = users.reload()
          postgres?.endUsers(changed)
          logger.info('The file of users was read again.', { changed: changed.length })
        } catch (error) {
          logger.error('The file of users is not used; those of before stay.', { reason: reasonOf(error) })
        }
      },
      stop,
      close: () => cleanups.run(),
    }
  } catch (error) {
    await cleanups.run()
    throw asOperatorError(error, options.dataFolder)
  }
}
