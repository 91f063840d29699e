import { useState } from 'preact/hooks'
import { askImport, type Import, programNames, programs } from '../../data/imports'
import { type Problem, toProblem } from '../../data/Problem'
import { useAnswer } from '../../data/useAnswer'
import { usePolling } from '../../data/usePolling'
import { useScope } from '../../address/scope'
import { AnswerBody } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { formatCount } from '../../parts/format'
import { ProblemNote } from '../../parts/notes'
import { Table } from '../../parts/Table'
import { day, Preview } from './ImportPreview'

const everyMs = 1000
const isBusy = (state: Import['state']) => ['receiving', 'reading', 'importing'].includes(state)

const words: Record<Import['state'], string> = {
  receiving: 'The file is on its way.',
  reading: 'The file is being read.',
  ready: 'Nothing is stored yet.',
  importing: 'Being imported; live events come first.',
  done: 'Imported.',
  failed: 'The file was not imported.',
}

/** What was imported, each with a button that takes it back. */
function Imported({ seen, change }: { seen: unknown; change: (work: () => Promise<unknown>) => void }) {
  const asked = useAnswer({ name: 'imports' }, { askedAt: seen })
  const undo = (imported: string) =>
    change(() => askImport('POST', '/undo', { body: JSON.stringify({ imported }) }))
  return (
    <AnswerBody asked={asked} empty="Nothing was imported yet.">
      {({ rows }) => (
        <Table
          caption="Imports"
          rows={rows}
          rowKey={([imported, environment]) => `${String(imported)} ${String(environment)}`}
          columns={[
            {
              title: 'Import',
              value: ([imported]) => {
                const id = String(imported)
                return `${programNames[id.split('-', 1)[0] ?? ''] ?? ''} ${id}`
              },
            },
            { title: 'Environment', value: ([, environment]) => String(environment) },
            { title: 'Events', value: (row) => formatCount(Number(row[2])), isNumber: true },
            { title: 'Sums', value: (row) => formatCount(Number(row[3])), isNumber: true },
            { title: 'From', value: (row) => day(String(row[4])) },
            { title: 'To', value: (row) => day(String(row[5])) },
            {
              title: '',
              value: ([imported]) => (
                <button class="button quiet" type="button" onClick={() => undo(String(imported))}>
                  Take back
                </button>
              ),
            },
          ]}
        />
      )}
    </AnswerBody>
  )
}

/** Brings the history of another program: what would be done, the import with its progress, and what was imported. */
export function History() {
  const { environment } = useScope()
  const [found, setFound] = useState<Import | null>(null)
  const [problem, setProblem] = useState<Problem>()
  const [source, setSource] = useState<string>(programs[0].name)
  const [isSending, setSending] = useState(false)
  const [changes, setChanges] = useState(0)

  const look = async (signal: AbortSignal) => {
    try {
      setFound(await askImport('GET', '', { signal }))
    } catch (error) {
      const told = toProblem(error, signal)
      if (told.kind !== 'cancelled') setProblem(told)
    }
  }
  usePolling(look, everyMs, [changes])

  const change = async (work: () => Promise<unknown>) => {
    setProblem(undefined)
    setSending(true)
    try {
      await work()
    } catch (error) {
      setProblem(toProblem(error))
    }
    setSending(false)
    setChanges((before) => before + 1)
  }
  /** Shows what became of the import at once: until the next look its buttons would be those of before. */
  const tell = (...request: Parameters<typeof askImport>) =>
    void change(async () => setFound(await askImport(...request)))
  const act = (method: 'POST' | 'DELETE', path: string) => () => tell(method, path)
  const read = (map: Record<string, string>) => tell('POST', `/read?${new URLSearchParams(map).toString()}`)
  const send = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const file = form.get('file')
    if (!(file instanceof File)) return
    const search = new URLSearchParams({ source, environment, name: file.name })
    const site = String(form.get('site')).trim()
    if (site !== '') search.set('site', site)
    tell('POST', `?${search.toString()}`, { body: file })
  }
  const busy = isSending || (found !== null && isBusy(found.state))
  const total = found?.report?.taken ?? 0

  return (
    <Card title="Bring your history">
      <form onSubmit={send}>
        <div class="fields">
          <label class="field">
            <span class="field-name">from</span>
            <select value={source} onChange={(event) => setSource(event.currentTarget.value)}>
              {programs.map(({ name, title }) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span class="field-name">file</span>
            <input type="file" name="file" required />
          </label>
          <label class="field">
            <span class="field-name">site</span>
            <input name="site" placeholder="www.example.com" />
          </label>
          <button class="button strong" disabled={busy}>
            Look at it
          </button>
        </div>
        <p class="soft">
          {programs.find(({ name }) => name === source)?.file}. It goes to {environment}.
        </p>
      </form>
      {problem && <ProblemNote problem={problem} />}
      {found && (
        <>
          <p role="status">
            <b class="break">{found.name}</b>: {words[found.state]} {found.message}
          </p>
          {(found.state === 'importing' || found.state === 'done') && (
            <p>
              <progress max={total} value={found.done} aria-label="Rows that are stored" />{' '}
              {formatCount(found.done)} of {formatCount(total)} rows
              {Object.entries(found.refused).map(
                ([reason, rows]) => `, ${formatCount(rows)} refused: ${reason}`,
              )}
            </p>
          )}
          {found.state === 'ready' && <Preview found={found} read={read} />}
          <p class="buttons">
            {found.state === 'ready' && (
              <button
                class="button strong"
                type="button"
                disabled={isSending}
                onClick={act('POST', '/start')}
              >
                Import
              </button>
            )}
            <button class="button" type="button" disabled={isSending} onClick={act('DELETE', '')}>
              {found.state === 'importing' ? 'Stop' : 'Put away'}
            </button>
          </p>
        </>
      )}
      <Imported seen={`${changes} ${found?.state === 'done'}`} change={(work) => void change(work)} />
    </Card>
  )
}
