import { base } from './base'
import type { Role } from './access'
import { readProblem, toProblem } from './Problem'

/** How the service is set up. `null` for a user who may only read. */
export interface Setup {
  environments: { name: string; retention_days: number | null }[]
  keys: { key: string; environments: string[] }[] | null
  users: { user: string; role: Role }[] | null
  users_file: string | null
  /** The newest request for events that was refused since the service started. */
  refused: { at: string; code: string; message: string; origin: string | null } | null
  /** By which other programs' SDKs events came since the service started. */
  senders: { sender: string; sdk: string; events: number; at: string }[]
  /** How many ids were nobody's, and how many times wrong by a unit, since the service started. */
  marked: { ids: number; times: number }
}

/** Throws a `Problem`, nothing else. */
export async function askSetup(signal: AbortSignal): Promise<Setup> {
  try {
    const response = await fetch(`${base}/setup`, { signal })
    if (!response.ok) throw await readProblem(response)
    return (await response.json()) as Setup
  } catch (error) {
    throw toProblem(error, signal)
  }
}
