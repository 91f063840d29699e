export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'
type LogFields = Record<string, string | number | boolean | null | undefined>

export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']

/** Writes a line to standard error. Without a listener an error there, such as a reader that has gone, would end the process. */
export const logToStandardError = (line: string): void => {
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => undefined)
  process.stderr.write(line)
}

/** Writes each message as one JSON object in one line. Callers never pass a key or a password. */
export class Logger {
  readonly #lowest: number
  readonly #write: (line: string) => void

  constructor(level: LogLevel, write: (line: string) => void = logToStandardError) {
    this.#lowest = logLevels.indexOf(level)
    this.#write = write
  }

  /** Whether messages of the level `debug` are written. */
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
      // A line that cannot be written must not stop the code that logs it.
    }
  }
}
