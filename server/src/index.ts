export type { LogLevel } from './log/createLog.js'
export type { ServerOptions } from './options/ServerOptions.js'
export { startServer, type RunningServer } from './server.js'
