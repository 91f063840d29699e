import { Refusal } from '../http/Refusal.js'
import type { Admission } from './createAdmission.js'
import type { Guard } from './createGuard.js'
import type { LoggedQuery, QueryLog } from './createQueryLog.js'
import type { Place, Session, Sessions } from './createSessions.js'
import { createStopper, type Stopper } from './createStopper.js'
import { explainFailure } from './explainFailure.js'
import { fingerprint } from './fingerprint.js'
import { enterPlace, enterSession, placeOfUse } from './movePlace.js'
import { openRead } from './openRead.js'
import { openRun } from './openRun.js'
import { planStatement, type Plan } from './planStatement.js'
import type { QueryRequest } from './querySchema.js'
import { readStats } from './readStats.js'
import { messageOf, refuseField, refuseStatement } from './refuseQuery.js'
import { refuseStopped } from './refuseStopped.js'
import type { RowSource } from './RowSource.js'
import { runChange } from './runChange.js'
import { startRecord } from './startRecord.js'
import type { Cut, Layout } from './wrapRead.js'
import { quoteText } from '../store/quoteText.js'

export interface QueryRunnerOptions {
  sessions: Sessions
  admission: Admission
  log: QueryLog
  guard: Guard
  /** That may be written to. */
  catalogs: readonly string[]
  /** That may be read. */
  readable: readonly string[]
  /** Where a session begins, and where it goes when its schema is gone. */
  home: Place
  threads: number
  timeoutMs: number
}

export interface QueryJob {
  user: string
  userAgent: string | null
  request: QueryRequest
  layout: Layout
  cut: Cut
  /** Refuses a statement before it is run. */
  admit(plan: Plan): void
  /** Opens the rows and writes them; what it throws ends the query. */
  deliver(run: QueryRun, open: () => Promise<RowSource>): Promise<void>
}

export interface QueryRun {
  queryId: string
  session: Session
  plan: Plan
  stopper: Stopper
  startedMs: number
}

export interface QueryRunner {
  /** Rejects with a Refusal when the query failed. `onStart` hands out the way to stop it. */
  run(job: QueryJob, onStart: (stopper: Stopper) => void): Promise<void>
}

const finish = (query: LoggedQuery, beganMs: number) => {
  query.record.duration_ms = Math.round(performance.now() - beganMs)
  query.record.end_time = new Date().toISOString()
  delete query.live
}

export const createQueryRunner = (options: QueryRunnerOptions): QueryRunner => {
  const { sessions, admission, log, guard, catalogs, readable, home, threads, timeoutMs } = options

  const open = async (job: QueryJob, { session, plan, stopper }: QueryRun): Promise<RowSource> => {
    const { connection } = session
    const explainBreak = async () =>
      refuseStopped(stopper) ?? refuseStatement(await explainFailure(connection, plan.text))
    try {
      if (plan.kind === 'use') {
        const place = placeOfUse(plan.tokens, session.place, readable)
        await enterPlace(connection, place)
        session.place = place
        return await openRun(
          connection,
          await connection.run('SELECT true AS "Success" WHERE false'),
          job.layout,
          {},
        )
      }
      if (plan.kind === 'read') {
        const source = await openRead({ connection, plan, layout: job.layout, cut: job.cut, explainBreak })
        if (source !== undefined) return source
      }
      if (plan.kind === 'change') {
        const catalog = catalogs.includes(session.place.catalog) ? session.place.catalog : catalogs[0]!
        const isStopped = () => stopper.reason() !== undefined
        const result = await runChange({ connection, plan, catalog, catalogs, isStopped })
        return await openRun(connection, result, job.layout, job.cut)
      }
      const source = await openRun(connection, await plan.prepared.run(), job.layout, job.cut)
      const zone = await connection.runAndReadAll(`SELECT current_setting('TimeZone')`)
      session.timezone = zone.getRows()[0]![0] as string
      return source
    } catch (error) {
      if (error instanceof Refusal) throw error
      throw refuseStopped(stopper) ?? refuseStatement(messageOf(error))
    }
  }

  const execute = async (job: QueryJob, query: LoggedQuery, session: Session, stopper: Stopper) => {
    const { connection } = session
    const ticket = await admission.enter(stopper.signal)
    const startedMs = performance.now()
    const timer = setTimeout(() => stopper.stop('timeout'), timeoutMs)
    const release = stopper.guard(connection)
    try {
      const refusal = refuseStopped(stopper)
      if (refusal !== undefined) throw refusal
      const lost = await enterSession(session, job.request, readable, home)
      if (lost !== undefined) session.place = home
      const timezone = job.request.timezone ?? session.timezone
      await connection.run(`SET TimeZone = ${quoteText(timezone)}`).catch((error: unknown) => {
        throw refuseField(`timezone: ${messageOf(error).split('\n', 1)[0]}`)
      })
      const plan = await planStatement(connection, guard, job.request.statement)
      query.record.fingerprint = fingerprint(plan.tokens)
      // What it names without a schema may be there too, and is not what was meant.
      if (lost !== undefined && plan.kind === 'change') throw refuseStatement(lost)
      const run: QueryRun = { queryId: query.record.uuid, session, plan, stopper, startedMs }
      job.admit(plan)
      await job.deliver(run, () => open(job, run))
      release()
      finish(query, startedMs)
      query.record.stats = await readStats(connection, plan)
    } finally {
      clearTimeout(timer)
      release()
      ticket.release()
    }
  }

  return {
    async run(job, onStart) {
      const { request, user } = job
      const stopper = createStopper()
      onStart(stopper)
      const session =
        request.ephemeral === true
          ? await sessions.openEphemeral(user)
          : await sessions.open(user, request.session_id ?? undefined)
      const query = startRecord({ job, session, stopper, threads })
      log.add(query)
      const began = performance.now()
      let started = false
      try {
        const work = session.exclusively(() => {
          started = true
          return execute(job, query, session, stopper)
        })
        // A query that still waits for its session is over as soon as it is stopped.
        const leave = new Promise<never>((_, reject) => {
          stopper.signal.addEventListener('abort', () => {
            if (!started) reject(refuseStopped(stopper)!)
          })
        })
        await Promise.race([work, leave])
      } catch (error) {
        const refusal = refuseStopped(stopper) ?? error
        query.record.error = messageOf(refusal)
        throw refusal
      } finally {
        if (query.live !== undefined) finish(query, began)
        if (request.ephemeral === true) sessions.end(session)
      }
    },
  }
}
