export type { LogLevel } from './Logger.js'
export type { ServerOptions } from './options/flags.js'
export { startServer, type RunningServer } from './startServer.js'
