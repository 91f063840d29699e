declare const __VERSION__: string
/** Not yet in TypeScript's own types; browsers before 2026 have none. */
declare var Temporal: { Now: { timeZoneId(): string } } | undefined
