import { createLakehouse } from '../lakehouse/createLakehouse'
import { LakehouseError } from '../lakehouse/LakehouseError'
import { CommandError } from './CommandError'

/** What `init` and `check` take from the command line. */
export interface Asking {
  since?: string | undefined
  environment?: string | undefined
  url?: string | undefined
}

type Row = Record<string, unknown>

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`

/** A condition on the rows of the time, of `column`, and of the environment that were asked for. */
export const readRange = ({ since = '7d', environment }: Asking, column: string): string => {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(since) ?? []
  if (!count) throw new CommandError(`--since takes days (7d) or hours (12h), not "${since}".`)
  const range = `${column} >= now() - INTERVAL ${count} ${unit === 'd' ? 'DAY' : 'HOUR'}`
  return environment === undefined ? range : `${range} AND environment = ${quote(environment)}`
}

/** Gives the function that asks the service for rows. */
export const openService = ({ url }: Asking, env: NodeJS.ProcessEnv) => {
  const endpoint = url ?? env['WAYMARK_URL'] ?? 'http://127.0.0.1:8787'
  const [, username, password] = /^([^:]+):(.+)$/s.exec(env['WAYMARK_USER'] ?? '') ?? []
  if (!username || !password)
    throw new CommandError('WAYMARK_USER is missing: set it to a user who may read, as name:password.')
  const { query } = createLakehouse({ endpoint, username, password })

  return async (statement: string): Promise<Row[]> => {
    try {
      const result = await query(statement, { requested_by: 'waymark plan' })
      return await result.objects()
    } catch (error) {
      const { message, cause = '' } = error as Error & { cause?: unknown }
      throw new CommandError(
        error instanceof LakehouseError
          ? `The service at ${endpoint} refuses: ${message}`
          : `Nobody answers at ${endpoint}: ${cause instanceof Error ? cause.message : message}`,
      )
    }
  }
}
