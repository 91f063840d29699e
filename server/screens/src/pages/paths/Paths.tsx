import { useId, useMemo } from 'preact/hooks'
import { pathChoices } from '../../data/choices'
import { AnswerCard } from '../../parts/AnswerCard'
import { ChoiceInput } from '../../parts/ChoiceInput'
import { ChoiceList } from '../../parts/ChoiceList'
import { formatCount } from '../../parts/format'
import { useScope } from '../../shell/scope'
import { useSearch } from '../../shell/useSearch'
import { PathStep } from './PathStep'
import { mostPerStep, paths } from './statements'

const depths = [1, 2, 3, 4, 5, 6]
const usualDepth = 3

/** Where sessions go from a page, step by step. */
export function Paths() {
  const scope = useScope()
  const [search, setSearch] = useSearch()
  const list = useId()
  const start = search.get('start') ?? ''
  const depth = depths.find((each) => String(each) === search.get('depth')) ?? usualDepth
  const statement = useMemo(() => paths({ ...scope, start, depth }), [scope, start, depth])
  const choices = useMemo(() => pathChoices(scope), [scope])
  const begin = (path: string) => setSearch({ start: path || undefined })
  return (
    <>
      <ChoiceList id={list} statement={choices} />
      <div class="fields">
        <label class="field">
          <span class="field-name">From</span>
          <ChoiceInput
            label="From"
            value={start}
            list={list}
            placeholder="where each session began"
            choose={(value) => begin(value && !value.startsWith('/') ? `/${value}` : value)}
          />
        </label>
        <label class="field">
          <span class="field-name">Steps</span>
          <select
            value={String(depth)}
            onChange={(event) =>
              setSearch({ depth: event.currentTarget.value === '3' ? undefined : event.currentTarget.value })
            }
          >
            {depths.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      </div>
      <AnswerCard
        title={start ? `From ${start}` : 'From where sessions began'}
        statement={statement}
        empty={start ? `No session saw ${start} in this time.` : 'There are no page views in this time.'}
      >
        {({ rows }) => (
          <div class="path-steps">
            {[...new Set(rows.map(([step]) => Number(step)))].map((step) => {
              const ways = rows.filter((row) => Number(row[0]) === step)
              const all = Number(ways[0]?.[5])
              return (
                <section key={step} aria-label={`Step ${step}`}>
                  <h3>Step {step}</h3>
                  <PathStep step={step} rows={ways} begin={begin} />
                  {all > ways.length && (
                    <p class="soft">
                      The {mostPerStep} most frequent of {formatCount(all)} are shown.
                    </p>
                  )}
                </section>
              )
            })}
          </div>
        )}
      </AnswerCard>
    </>
  )
}
