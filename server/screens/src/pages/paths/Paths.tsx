import { useId } from 'preact/hooks'
import { askChoices } from '../../data/asks'
import { isFixed } from '../../data/guest'
import { AnswerCard } from '../../parts/AnswerCard'
import { ChoiceInput, ChoiceList } from '../../parts/ChoiceInput'
import { Question } from '../../parts/Question'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { usePeopleOf } from '../../address/usePeopleOf'
import { Flow } from './Flow'
import {
  askPaths,
  depths,
  mostChildren,
  mostPages,
  openName,
  readPaths,
  toPath,
  toPattern,
  usualDepth,
} from './pathsSearch'
import type { FlowNode } from './toFlow'

interface ChipsProps {
  names: readonly string[]
  /** What a button does, before the name. */
  verb: string
  remove: (name: string) => void
}

const Chips = ({ names, verb, remove }: ChipsProps) => (
  <>
    {names.map((name) => (
      <button
        key={name}
        class="button"
        type="button"
        aria-label={`${verb} ${name}`}
        onClick={() => remove(name)}
      >
        {name} <span aria-hidden="true">×</span>
      </button>
    ))}
  </>
)

/** Where sessions go from a page, step by step. */
export function Paths() {
  const scope = useScope()
  const [search, setSearch] = useSearch()
  const list = useId()
  const question = readPaths(search)
  const { start, depth, fold, open, most } = question
  const without = (names: readonly string[], name: string) => names.filter((each) => each !== name)

  const actionOf = ({ name, pages }: FlowNode) => {
    if (name === null || isFixed()) return undefined
    if (name === '')
      return most < mostPages.many ? { title: 'show them', run: () => setSearch({ more: '1' }) } : undefined
    return pages > 1 || fold.includes(name)
      ? { title: 'show its pages', run: () => setSearch(openName(question, name)) }
      : { title: 'show the ways from here', run: () => setSearch({ start: name }) }
  }

  const toPeople = usePeopleOf()
  /** A folder, or the others, are no one page. */
  const peopleOf = ({ name, pages, place }: FlowNode) =>
    name === null || (name !== '' && pages === 1)
      ? toPeople?.({ of: 'flows', place: String(place), start: start || undefined, path: name ?? undefined })
      : undefined

  return (
    <>
      <ChoiceList id={list} ask={askChoices('path_choices', scope)} />
      <Question>
        <div class="fields">
          <label class="field">
            <span class="field-name">From</span>
            <ChoiceInput
              label="From"
              value={start}
              list={list}
              placeholder="the first page"
              choose={(value) => setSearch({ start: toPath(value) || undefined })}
            />
          </label>
          <label class="field">
            <span class="field-name">Steps</span>
            <select
              value={String(depth)}
              onChange={({ currentTarget: { value } }) =>
                setSearch({ depth: value === String(usualDepth) ? undefined : value })
              }
            >
              {depths.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
          <label class="field">
            <span class="field-name">Fold</span>
            <ChoiceInput
              label="Fold pages"
              value=""
              list={list}
              placeholder="/user/*"
              choose={(value) => {
                const pattern = toPattern(value)
                if (pattern) setSearch({ fold: [...without(fold, pattern), pattern] })
              }}
            />
          </label>
          <Chips names={fold} verb="Unfold" remove={(name) => setSearch({ fold: without(fold, name) })} />
          {open.length > 0 && <span class="soft">Not folded:</span>}
          <Chips names={open} verb="Fold" remove={(name) => setSearch({ open: without(open, name) })} />
        </div>
      </Question>
      <AnswerCard
        name="paths"
        title={start ? `From ${start}` : 'From where sessions began'}
        ask={askPaths(scope, question)}
        empty={start ? `No session saw ${start} in this time.` : 'There are no page views in this time.'}
      >
        {({ rows }) => (
          <>
            <Flow rows={rows} actionOf={actionOf} peopleOf={peopleOf} />
            <p class="soft">
              Click a page to see the ways from there, its figures to see who was there. A folder with more
              than {mostChildren} pages is shown as one, such as /maps/*; click it to see its pages.
            </p>
          </>
        )}
      </AnswerCard>
    </>
  )
}
