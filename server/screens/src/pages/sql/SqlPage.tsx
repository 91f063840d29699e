import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { useStore } from '../../data/createStore'
import { browserTimeZone, newUuid } from '../../data/query'
import { login } from '../../data/login'
import { Card } from '../../parts/Card'
import { useScope } from '../../address/scope'
import { place, useSearch } from '../../address/location'
import { Editor, type EditorHandle } from './Editor'
import { Examples } from './Examples'
import { listExamples } from './listExamples'
import { explainMistake } from './explainMistake'
import { findErrorPosition } from './findErrorPosition'
import { remember } from './history'
import { History } from './History'
import { Result } from './Result'
import { Schema } from './Schema'
import { useRun } from './useRun'
import { useValidation } from './useValidation'
import { dialectNames, titleOf } from '../../../../src/sql/dialects/dialects'

interface Props {
  /** Undefined for DuckDB's SQL. */
  dialect: string | undefined
  choose: (dialect: string | undefined) => void
}

/** Chooses for which database a statement is written. */
function DialectSelect({ dialect, choose }: Props) {
  const names: string[] = [...dialectNames]
  if (dialect && !names.includes(dialect)) names.push(dialect)
  return (
    <label class="field">
      <span class="field-name">Written for</span>
      <select
        value={dialect ?? ''}
        onChange={({ currentTarget: { value } }) => choose(value === '' ? undefined : value)}
      >
        <option value="">DuckDB</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {titleOf(name)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A longer address could not be loaded again: a request's head has 32 KiB of room. */
const longestLink = 8000

/** Tells one statement in one dialect from every other. */
const keyOf = (text: string | null, dialect: string | undefined) => `${dialect ?? ''}\n${text ?? ''}`

/** The page has one as long as it is loaded, so that temporary tables and variables stay from one run to the next. */
const sessionId = newUuid()

export function SqlPage() {
  const [search, setSearch] = useSearch()
  const { environment } = useScope()
  const user = useStore(login).user?.user ?? ''
  const asked = search.get('q')
  // By a statement somebody else could end the engine, or ask in the reader's name: it waits until it was read.
  const isForeign = !useStore(place).isOwn && asked !== null
  const askedDialect = search.get('dialect') ?? undefined
  const [text, setText] = useState(asked ?? listExamples(environment)[0]?.statement.text ?? '')
  const [dialect, setDialect] = useState(askedDialect)
  const { run, start, cancel } = useRun(sessionId)
  const lastRun = useRef<string>(undefined)
  const editor = useRef<EditorHandle>(null)
  const mistakeId = useId()

  const isShort = encodeURIComponent(text).length <= longestLink
  const isRunning = run?.isRunning ?? false
  const lastEnded = useRef<string>(undefined)
  if (run && !isRunning) lastEnded.current = run.id
  // To look at a statement is to compute what is constant in it.
  const found = useValidation({ text, dialect }, sessionId, !isRunning && !isForeign)
  const isOfRun = run?.statement === text && run.dialect === dialect
  const refused = run?.problem?.kind === 'refused' && isOfRun ? run.problem : undefined
  const translation = found?.statement ?? (isOfRun ? run.answer?.statement : undefined)
  const mistake = useMemo(() => {
    const message = refused?.message ?? found?.error
    return message ? { message, place: findErrorPosition(text, message) } : undefined
  }, [refused, found, text])

  // By a link of the screens, or by going back and forward. Nobody must change anything by that.
  useEffect(() => {
    if (isForeign) {
      lastRun.current = undefined
      setText(asked)
      setDialect(askedDialect)
      cancel()
      return
    }
    const key = keyOf(asked, askedDialect)
    if (!asked || key === lastRun.current) return
    lastRun.current = key
    setText(asked)
    setDialect(askedDialect)
    void start(asked, { mustRead: true, dialect: askedDialect })
  }, [asked, askedDialect, isForeign])
  useEffect(() => cancel, [])

  const submit = () => {
    if (!text.trim()) return
    lastRun.current = keyOf(text, dialect)
    remember(user, text, dialect)
    // The chart's columns are those of the statement before.
    if (text !== asked || dialect !== askedDialect)
      setSearch({ q: isShort ? text : undefined, dialect, x: undefined, y: undefined, chart: undefined })
    // Now it is this page's.
    else if (isForeign) setSearch({}, { replace: true })
    void start(text, { dialect })
  }

  const isHeldBack = run?.problem?.code === 'not-sanitizable'
  return (
    <div class="sql-page">
      <div class="sql-main">
        <Card
          title="Statement"
          class="sql-card"
          aside={<DialectSelect dialect={dialect} choose={setDialect} />}
        >
          <Editor
            handle={editor}
            text={text}
            change={setText}
            run={submit}
            sessionId={sessionId}
            dialect={dialect}
            mistake={mistake?.place}
            describedBy={mistakeId}
          />
          <div id={mistakeId} class="sql-hint">
            {mistake && !refused && (
              <span class="sql-mistake-text">
                {dialect ? mistake.message : explainMistake(mistake.message, text)}
              </span>
            )}
          </div>
          {dialect && translation && translation !== text && (
            <details class="sql-translation">
              <summary>In DuckDB’s SQL</summary>
              <pre class="sql-text" tabIndex={0} role="region" aria-label="In DuckDB’s SQL">
                {translation}
              </pre>
            </details>
          )}
          <div class="sql-actions">
            <button class="button strong" type="button" onClick={submit}>
              Run
            </button>
            <button class="button" type="button" onClick={cancel} disabled={!isRunning}>
              Cancel
            </button>
            {mistake?.place && (
              <button
                class="button"
                type="button"
                onClick={() => editor.current?.goTo(mistake.place?.offset ?? 0)}
              >
                Go to line {mistake.place.line}, column {mistake.place.column}
              </button>
            )}
            <span class="soft sql-keys">
              Ctrl + Enter runs, Ctrl + Space suggests. Times are in {browserTimeZone}.
              {!isShort && ' The statement is too long for a link.'}
            </span>
          </div>
          <p class="soft sql-scope">
            Statements see all environments, and bots, too. To leave them out add{' '}
            <code>environment = '{environment}' AND bot IS NULL</code>.
          </p>
        </Card>
        {isHeldBack && !isForeign && (
          <p class="sql-held" role="status">
            The statement changes something, so it was not run by itself. Read it, then press Run if you want
            that.
          </p>
        )}
        {isForeign && (
          <p class="sql-held" role="status">
            This statement came by a link. Read it, then run it.
          </p>
        )}
        {run && !isHeldBack && !isForeign && <Result run={run} sessionId={sessionId} />}
      </div>
      <div class="sql-side">
        <Examples
          choose={({ statement }) => {
            setText(statement.text)
            setDialect(undefined)
            editor.current?.goTo(0)
          }}
        />
        <Schema askedAt={lastEnded.current} insert={(name) => editor.current?.insert(name)} />
        <History
          choose={(past) => {
            setText(past.statement)
            setDialect(past.dialect)
            editor.current?.goTo(0)
          }}
        />
      </div>
    </div>
  )
}
