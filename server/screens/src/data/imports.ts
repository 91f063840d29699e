import { base } from './base'
import { expireLogin } from './login'
import { readProblem, toProblem } from './Problem'

/** The programs whose exports the service reads, with what is exported. */
export const programs = [
  { name: 'plausible', title: 'Plausible', file: 'the zip of “Export all your data”: sums of days' },
  { name: 'umami', title: 'Umami', file: 'website_event as CSV; with session and event_data in a zip' },
  {
    name: 'ga4',
    title: 'Google Analytics',
    file: 'events of BigQuery as JSON lines or Parquet, or a report with Date as CSV',
  },
  { name: 'posthog', title: 'PostHog', file: 'events of a batch export: JSON lines or Parquet' },
  {
    name: 'matomo',
    title: 'Matomo',
    file: 'Live.getLastVisitsDetails as JSON, or days of VisitsSummary.get as CSV',
  },
  { name: 'csv', title: 'Any file', file: 'CSV, JSON or Parquet with an event in each row' },
] as const

export const programNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(programs.map(({ name, title }) => [name, title])),
  crawlers: 'Access log',
}

/** What an import would do. */
export interface Report {
  kind: 'events' | 'sums'
  rows: number
  taken: number
  copies: number
  persons: number
  from: string | null
  until: string | null
  events: { name: string; rows: number }[]
  refused: { reason: string; rows: number; example: string | null }[]
  lost: { field: string; rows: number | null; why: string }[]
  map: Record<string, string> | null
  columns: string[]
  first_rows: (string | null)[][]
}

/** The file that the service has. */
export interface Import {
  state: 'receiving' | 'reading' | 'ready' | 'importing' | 'done' | 'failed'
  imported: string
  source: string
  environment: string
  name: string
  report: Report | null
  done: number
  refused: Record<string, number>
  message: string | null
  kept_until: string | null
}

/** Asks for or changes the import. Throws a `Problem`, nothing else. */
export async function askImport(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { body, signal }: { body?: Blob | string; signal?: AbortSignal } = {},
): Promise<Import | null> {
  try {
    const response = await fetch(`${base}/history${path}`, {
      method,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    if (!response.ok) throw await readProblem(response)
    return ((await response.json()) as { import?: Import | null }).import ?? null
  } catch (error) {
    const problem = toProblem(error, signal)
    if (problem.kind === 'login') expireLogin()
    throw problem
  }
}
