export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'
export type LogFields = Record<string, string | number | boolean | null | undefined>

export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']

/** One JSON object a line. Callers pass only what may be read by anybody: never a key, never a password. */
export const createLog = (
  level: LogLevel,
  write: (line: string) => void = (line) => process.stderr.write(line),
): Log => {
  const lowest = logLevels.indexOf(level)
  const at = (name: Exclude<LogLevel, 'silent'>) => {
    const rank = logLevels.indexOf(name)
    return (message: string, fields: LogFields = {}) => {
      if (rank < lowest) return
      write(`${JSON.stringify({ time: new Date().toISOString(), level: name, message, ...fields })}\n`)
    }
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
