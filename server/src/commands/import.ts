import { constants, openAsBlob } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fields } from '../history/csv.js'
import { historyPath } from '../http/Route.js'
import { type ImportState, sources } from '../history/Imports.js'
import { OperatorError, reasonOf } from '../OperatorError.js'
import { type Command, type Given, readWords, WrongUsage } from './Command.js'

const help = `waymark-server import SOURCE FILE [flags]
waymark-server import undo IMPORT [flags]

Brings the export of another program into a running service, or takes back what one import brought.
SOURCE is ${sources.join(', ')}. FILE may be csv, json, parquet, one of them gzipped, or a zip of some.
The same file twice is stored once, so what broke off is begun again. See docs/migration.md.

  --dry-run            only says what would be stored, refused and lost
  --url URL            the service               WAYMARK_URL          http://127.0.0.1:8787
  --user NAME:PASSWORD a user who may write      WAYMARK_IMPORT_USER  the first of WAYMARK_USERS
  --environment NAME   where the events go                            production
  --site HOST          the host of addresses that have none           site.invalid
  --map FIELD=COLUMN,… for csv: which column each field is in; FIELD=- for none
                       (${Object.keys(fields).join(', ')})
`

const readMap = (text: string): [string, string][] =>
  text
    .split(',')
    .filter((each) => each !== '')
    .map((each) => {
      const [field = '', column = ''] = each.split('=', 2)
      if (fields[field] === undefined || column === '')
        throw new WrongUsage(
          `--map ${each} is no FIELD=COLUMN; fields are ${Object.keys(fields).join(', ')}.`,
        )
      return [field, column]
    })

/** Asks the service, as a user who may write. */
type AskHistory = (method: string, path: string, body?: Blob | string) => Promise<ImportState | null>

/** The flags of what goes to a running service. */
export const serviceFlags = {
  'dry-run': { type: 'boolean' },
  url: { type: 'string' },
  user: { type: 'string' },
  environment: { type: 'string' },
  site: { type: 'string' },
} as const

export const historyOf = (
  values: { url?: string | undefined; user?: string | undefined },
  env: NodeJS.ProcessEnv,
): AskHistory => {
  const user = values.user ?? env['WAYMARK_IMPORT_USER'] ?? env['WAYMARK_USERS']?.split(',')[0]
  if (user === undefined)
    throw new WrongUsage('--user is missing: name a user who may write, and the password.')
  const url = values.url ?? env['WAYMARK_URL'] ?? 'http://127.0.0.1:8787'
  const authorization = `Basic ${Buffer.from(user).toString('base64')}`
  return async (method, path, body) => {
    const answer = await fetch(
      new URL(`${historyPath.slice(1)}${path}`, url.endsWith('/') ? url : `${url}/`),
      {
        method,
        headers: { authorization },
        ...(body !== undefined && { body }),
      },
    ).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
      throw new OperatorError(
        `${url} cannot be reached: ${reasonOf(cause)}. Start the service, or name it by --url.`,
      )
    })
    const said = (await answer.json().catch(() => ({}))) as { message?: string; import?: ImportState | null }
    if (!answer.ok) throw new OperatorError(said.message ?? `${url} answers with ${answer.status}.`)
    return said.import ?? null
  }
}

const everyMs = 500

/** Waits until the service has read or stored the file, and tells how far it is. */
const settle = async (ask: AskHistory, print: Given['print']): Promise<ImportState> => {
  let told = 0
  for (;;) {
    const state = await ask('GET', '')
    if (state === null)
      throw new OperatorError('The import was stopped. What is stored stays; begin it again.')
    if (!['receiving', 'reading', 'importing'].includes(state.state)) {
      if (state.state === 'failed') throw new OperatorError(state.message ?? 'The import failed.')
      return state
    }
    if (state.state === 'importing' && state.done > told)
      print(`${(told = state.done)} of ${state.report!.taken} rows are stored.`)
    await delay(everyMs)
  }
}

const tellReport = ({ imported, report, kept_until: kept }: ImportState, print: Given['print']): void => {
  const { kind, rows, taken, copies, persons, from, until, refused, lost, map } = report!
  const what = kind === 'events' ? `events of about ${persons} people` : 'sums of days'
  print(`${imported}: ${taken} of ${rows} rows are ${what}, from ${from} to ${until}.`)
  if (map !== null)
    print(
      `  read from: ${Object.entries(map)
        .map((pair) => pair.join(' = '))
        .join(', ')}`,
    )
  if (copies > 0) print(`  second copies within the file: ${copies}`)
  for (const each of refused) print(`  refused: ${each.rows} rows: ${each.reason}, such as ${each.example}`)
  for (const { field, rows: count } of lost)
    print(`  lost: ${field}${count === null ? '' : ` (${count} rows)`}`)
  if (kept !== null && kind === 'events') print(`  kept until ${kept}: retention counts from today`)
}

/** Sends a file, says what would be done with it and, unless the run is dry, has it done. */
export const bring = async (
  ask: AskHistory,
  {
    file,
    given,
    isDry,
  }: { file: string; given: Readonly<Record<string, string | undefined>>; isDry: boolean },
  print: Given['print'],
): Promise<void> => {
  const search = new URLSearchParams(
    Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  await ask('POST', `?${search.toString()}`, await openAsBlob(file))
  tellReport(await settle(ask, print), print)
  if (isDry) {
    await ask('DELETE', '')
    return
  }
  await ask('POST', '/start', '')
  const { imported, done, refused } = await settle(ask, print)
  for (const [reason, rows] of Object.entries(refused)) print(`  refused: ${rows} rows: ${reason}`)
  print(`${done} rows of ${imported} are stored; those that were there before are there once.`)
}

export const importHistory: Command = {
  name: 'import',
  help,
  async run({ argv, env, print }) {
    const { values, others } = readWords(argv, { ...serviceFlags, map: { type: 'string' } }, [
      'The source',
      'The file',
    ])
    const [source, file] = others as [string, string]
    const ask = historyOf(values, env)
    if (source === 'undo') {
      await ask('POST', '/undo', JSON.stringify({ imported: file }))
      print(`${file} is taken back.`)
      return 0
    }
    if (!sources.some((each) => each === source))
      throw new WrongUsage(`${source} is no source; there are ${sources.join(', ')}.`)
    const { environment, site, map = '' } = values
    const given = { source, name: basename(file), environment, site, ...Object.fromEntries(readMap(map)) }
    await access(file, constants.R_OK).catch((error: unknown) => {
      throw new OperatorError(`${file} cannot be read: ${reasonOf(error)}.`)
    })
    await bring(ask, { file, given, isDry: values['dry-run'] === true }, print)
    return 0
  },
}
