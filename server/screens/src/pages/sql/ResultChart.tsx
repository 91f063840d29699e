import { useMemo } from 'preact/hooks'
import type { Answer } from '../../data/query'
import { Chart } from '../../parts/Chart'
import { Empty } from '../../parts/notes'
import { useSearch } from '../../address/location'
import { isNumber, isTime } from './showValue'
import { pickColumns, toChart } from './toChart'

const figure = new Intl.NumberFormat('en', { maximumFractionDigits: 6 })
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })
const longestName = 12

const shorten = (name: string) => (name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name)

/** The result as a line or bars. The columns and the kind are in the address. */
export function ResultChart({ answer }: { answer: Answer }) {
  const [search, setSearch] = useSearch()
  const { columns } = answer
  const [askedX, askedY] = [search.get('x'), search.get('y')]
  const { x, y } = pickColumns(columns, { x: askedX, y: askedY })
  const line = useMemo(() => toChart(answer, { x, y }), [answer, x, y])
  const [nameX, nameY] = [columns[x]?.name ?? '', columns[y]?.name ?? '']
  const series = useMemo(() => [{ title: nameY, values: line.y }], [line, nameY])
  if (y === -1) return <Empty>A chart needs a second column, with numbers.</Empty>

  const { names } = line
  const type = columns[x]?.type ?? ''
  const usualKind = isTime(type) || isNumber(type) ? 'line' : 'bar'
  const asked = search.get('chart')
  const kind = asked === 'line' || asked === 'bar' ? asked : usualKind
  const nameAt = (at: number) => {
    if (names) return names[at] ?? ''
    if (!line.isTime) return figure.format(at)
    return (type === 'DATE' ? day : moment).format(at * 1000)
  }
  const choose = (name: string) => (event: { currentTarget: HTMLSelectElement }) =>
    setSearch({ [name]: event.currentTarget.value }, { replace: true })
  return (
    <>
      <div class="fields">
        <label class="field">
          <span class="field-name">x</span>
          <select value={nameX} onChange={choose('x')}>
            {columns.map(({ name }, at) => (
              <option key={at}>{name}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span class="field-name">y</span>
          <select value={nameY} onChange={choose('y')}>
            {columns.map(({ name, type: of }, at) => isNumber(of) && <option key={at}>{name}</option>)}
          </select>
        </label>
        <label class="field">
          <span class="field-name">as</span>
          <select value={kind} onChange={choose('chart')}>
            <option value="line">Line</option>
            <option value="bar">Bars</option>
          </select>
        </label>
      </div>
      <Chart
        caption={`${nameY} by ${nameX}`}
        x={line.x}
        series={series}
        isTime={line.isTime}
        isCount={line.isCount}
        kind={kind}
        nameX={nameAt}
        {...(names ? { nameTick: (at: number) => shorten(names[at] ?? '') } : {})}
        formatY={(value) => figure.format(value)}
        height={280}
      />
      {line.isCut && <p class="soft">The first {line.x.length} rows are drawn.</p>}
    </>
  )
}
