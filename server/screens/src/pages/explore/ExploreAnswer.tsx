import { useMemo } from 'preact/hooks'
import { useScope } from '../../address/scope'
import { addFilter, type Filter, writeFilter } from '../../data/filters'
import type { Answer, Json } from '../../data/query'
import { PersonLink } from '../../parts/cells'
import { Chart, type ChartProps } from '../../parts/Chart'
import { formatCount, nameTime } from '../../parts/format'
import { useMarks } from '../../parts/marks'
import { Traits } from '../../parts/Properties'
import type { TableColumn } from '../../parts/Table'
import { toLines } from '../../parts/toLines'
import { ValueTable } from '../../parts/ValueTable'
import { comesAgain, formatFigure, mostLines, mostValues, type Question } from './exploreSearch'
import {
  noCurrency,
  numberOf,
  places,
  reader,
  textOf,
  toBefore,
  toCycle,
  toRows,
  valuesOfLines,
} from './exploreLines'
import { rowsOf } from './measures'

interface Props {
  answer: Answer
  question: Question
  title: string
}

const nameOf = (traits: Json | undefined, id: string): string => {
  const known = traits && typeof traits === 'object' && !Array.isArray(traits) ? traits : {}
  return (
    [known['name'], known['email'], id].find(
      (name): name is string => typeof name === 'string' && name !== '',
    ) ?? id
  )
}

/** The figure of each value. */
function ValueAnswer({ answer, question, title }: Props) {
  const { measure, by, currency, currencyProperty, hasRest, isCompared } = question
  if (!by) return null
  const read = reader(answer)
  const has = (name: string) => answer.columns.some((each) => each.name === name)
  const isApart = currencyProperty !== undefined && currency === undefined
  const currencyOf = (row: readonly Json[]) =>
    isApart ? textOf(read(row, has('currency') ? 'currency' : 'value')) : currency
  const format = (figure: number, row: readonly Json[]) =>
    formatFigure(question, figure, currencyOf(row) ?? undefined)
  const isOthers = (row: readonly Json[]) => hasRest && Number(read(row, 'values')) > 1
  const others = answer.rows.filter((row) => isOthers(row))
  const values = answer.rows.filter((row) => !isOthers(row))

  const hasRows = measure.name !== 'events' || question.per
  const more: TableColumn<readonly Json[]>[] = [
    ...(isApart && has('currency')
      ? [{ title: 'Currency', value: (row: readonly Json[]) => currencyOf(row) ?? noCurrency }]
      : []),
    ...(isCompared
      ? [
          {
            title: 'Before',
            isNumber: true,
            value: (row: readonly Json[]) => {
              const before = numberOf(read(row, 'before'))
              return before === null ? '–' : format(before, row)
            },
          },
        ]
      : []),
    ...(has('traits')
      ? [{ title: 'Traits', value: (row: readonly Json[]) => <Traits of={read(row, 'traits')} /> }]
      : []),
  ]
  return (
    <>
      <ValueTable
        caption={title}
        field={by}
        rows={values}
        figures={[
          { title: measure.title, format },
          ...(hasRows
            ? [{ title: measure.isOfDays ? 'Days of people' : rowsOf[measure.of], format: formatCount }]
            : []),
        ]}
        more={more}
        {...(isApart ? { keyOf: (row: readonly Json[]) => String(currencyOf(row)) } : {})}
        {...(has('traits')
          ? { show: (row, id) => <PersonLink id={id} name={nameOf(read(row, 'traits'), id)} /> }
          : {})}
      />
      {others.map((row) => (
        <p key={String(currencyOf(row))} class="soft">
          All {formatCount(Number(read(row, 'values')))} others
          {isApart && ` in ${currencyOf(row) ?? noCurrency}`}, together:{' '}
          {row[1] === null ? '–' : format(Number(row[1]), row)}
        </p>
      ))}
      {values.length === mostValues && others.length === 0 && (
        <p class="soft">The first {mostValues} are shown. A higher LIMIT in the SQL gives more.</p>
      )}
    </>
  )
}

/** Whom a place of the chart counts, where it is of events: a line told apart by a value those with that value. */
const peopleOfAnswer = (
  { measure, per, by, event, currencyProperty }: Question,
  { filters, valueOf }: { filters: readonly Filter[]; valueOf: (series: number) => Json | undefined },
): ChartProps['people'] => {
  if (measure.of !== 'events' || measure.isOfDays || per || currencyProperty) return undefined
  const figure = { of: 'explore', event: event || undefined }
  if (!by) return figure
  return (series) => {
    const value = valueOf(series)
    if (value === undefined) return undefined
    const only: Filter = { field: by.name, operator: 'is', values: [textOf(value) ?? ''] }
    return { ...figure, filter: addFilter(filters, only).map(writeFilter) }
  }
}

/** The figure over time, with a line for each value. */
function TimeAnswer({ answer, question, title }: Props) {
  const { range, now, filters } = useScope()
  const { measure, per, by, interval = 'day', shape, isCompared } = question
  const marks = useMarks(range)
  const { x, series, isOpen, name, tick } = useMemo(() => {
    const empty = measure.isCount && !per ? 0 : null
    const read = reader(answer)
    const isOfNow = (row: readonly Json[]) => !isCompared || read(row, 'period') === 'now'
    const rowsIn = (isNow: boolean) =>
      toRows({ ...answer, rows: answer.rows.filter((row) => isOfNow(row) === isNow) }, question)
    const [rows, earlier] = [rowsIn(true), isCompared ? rowsIn(false) : []]
    if (comesAgain(interval)) {
      const place = places[interval]
      const before = toCycle(earlier, place.x, empty).map((line) => ({
        ...line,
        title: 'Before',
        isBefore: true,
      }))
      return { ...place, series: [...toCycle(rows, place.x, empty), ...before], isOpen: false }
    }
    const lines = toLines(rows, { range, now, unit: interval, empty, nameOf: String })
    const before = isCompared
      ? toBefore(earlier, range, interval, empty).map((line) => ({
          ...line,
          values: lines.x.map((_, at) => line.values[at] ?? null),
        }))
      : []
    return {
      ...lines,
      series: [...lines.series, ...before],
      name: (time: number) => nameTime(time, interval),
      tick: undefined,
    }
  }, [answer, question])
  const isCyclic = comesAgain(interval)
  const values = useMemo(() => valuesOfLines(answer, question), [answer, question])
  const people = peopleOfAnswer(question, { filters, valueOf: (at) => values.get(series[at]?.title ?? '') })
  return (
    <>
      <Chart
        caption={title}
        x={x}
        series={series}
        isOpen={isOpen}
        marks={isCyclic ? [] : marks}
        isTime={!isCyclic}
        kind={shape === 'bars' && !by && !isCompared ? 'bar' : 'line'}
        isCount={measure.isCount === true && !measure.needsProperty && !per}
        nameX={name}
        {...(tick ? { nameTick: tick } : {})}
        formatY={(figure) => formatFigure(question, figure)}
        height={280}
        {...(interval && !isCyclic ? { unit: interval, people } : {})}
      />
      {by && series.length >= mostLines && <p class="soft">The {mostLines} values with most are shown.</p>}
    </>
  )
}

/** A single figure, and that of another time. */
function FigureAnswer({ answer, question }: Omit<Props, 'title'>) {
  const [figure, before] = answer.rows[0] ?? []
  const show = (value: Json | undefined) =>
    value === null || value === undefined ? '–' : formatFigure(question, Number(value))
  return (
    <p>
      <span class="figure">{show(figure)}</span>
      {question.isCompared && <span class="soft"> {show(before)} before</span>}
    </p>
  )
}

export const ExploreAnswer = (props: Props) => {
  if (props.question.interval) return <TimeAnswer {...props} />
  return props.question.by ? <ValueAnswer {...props} /> : <FigureAnswer {...props} />
}
