export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'
export type LogFields = Record<string, string | number | boolean | null | undefined>

export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']

/** Where lines go. Without a listener an error, such as that its reader has gone, would end the process. */
export const logToStandardError = (line: string): void => {
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => undefined)
  process.stderr.write(line)
}

/** One JSON object a line. Callers pass only what may be read by anybody: never a key, never a password. */
export class Logger {
  readonly #lowest: number
  readonly #write: (line: string) => void

  constructor(level: LogLevel, write: (line: string) => void = logToStandardError) {
    this.#lowest = logLevels.indexOf(level)
    this.#write = write
  }

  /** Whether what only `debug` shows is shown. */
  get isDebug(): boolean {
    return this.#lowest === 0
  }

  debug(message: string, fields?: LogFields): void {
    this.#log('debug', message, fields)
  }

  info(message: string, fields?: LogFields): void {
    this.#log('info', message, fields)
  }

  warn(message: string, fields?: LogFields): void {
    this.#log('warn', message, fields)
  }

  error(message: string, fields?: LogFields): void {
    this.#log('error', message, fields)
  }

  #log(level: Exclude<LogLevel, 'silent'>, message: string, fields: LogFields = {}): void {
    if (logLevels.indexOf(level) < this.#lowest) return
    try {
      this.#write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`)
    } catch {
      // A line that cannot be written must not stop what it tells of.
    }
  }
}
