export type { LogLevel } from './Logger.js'
export type { ServerOptions } from './options/ServerOptions.js'
export { startServer, type RunningServer } from './startServer.js'
