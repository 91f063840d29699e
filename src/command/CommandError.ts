/** Says in a sentence why a command could not do what was asked. */
export class CommandError extends Error {}
