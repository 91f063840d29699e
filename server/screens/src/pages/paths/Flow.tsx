import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { openPage } from '../../address/location'
import type { Json } from '../../data/query'
import { formatCount, formatShare } from '../../parts/format'
import { Table, PlainTable } from '../../parts/Table'
import { drawBand, type FlowBand, type FlowNode, toFlow } from './toFlow'

/** A column is not narrower, so a phone scrolls. */
const leastColumn = 150
const barWidth = 8

const nameNode = ({ name, pages }: FlowNode) => {
  if (name === null) return 'Session ended'
  if (name === '') return `${formatCount(pages)} ${pages === 1 ? 'other' : 'others'}`
  return name
}

interface Props {
  rows: readonly Json[][]
  /** What a click on a page does, and says that it does; undefined where it does nothing. */
  actionOf: (node: FlowNode) => { title: string; run: () => void } | undefined
  /** The address that lists the people whose sessions came by a page; undefined where there is none. */
  peopleOf: (node: FlowNode) => string | undefined
}

function useWidth() {
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (!frame.current) return
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])
  return [frame, width] as const
}

/** Pages in columns, with bands for the sessions that go from one to another; and the same as a table. */
export function Flow({ rows, actionOf, peopleOf }: Props) {
  const flow = useMemo(() => toFlow(rows), [rows])
  const [frame, width] = useWidth()
  const [isTable, setTable] = useState(false)
  const [chosen, setChosen] = useState<FlowNode>()
  const { columns, bands, height, sessions } = flow
  const column = Math.max(leastColumn, width / columns.length)
  const shareOf = (part: number, all: number) => formatShare(part / (all || 1))

  const table = {
    caption: 'Ways from page to page',
    rows: bands,
    rowKey: ({ from, to }: FlowBand) => JSON.stringify([from.place, from.name, to.name]),
    columns: [
      { title: 'Step', value: ({ to }: FlowBand) => to.place },
      { title: 'From', value: ({ from }: FlowBand) => nameNode(from) },
      { title: 'To', value: ({ to }: FlowBand) => nameNode(to) },
      { title: 'Sessions', isNumber: true, value: (band: FlowBand) => formatCount(band.sessions) },
      {
        title: 'Of those at From',
        isNumber: true,
        value: (band: FlowBand) => shareOf(band.sessions, band.from.sessions),
      },
      { title: 'Of all', isNumber: true, value: (band: FlowBand) => shareOf(band.sessions, sessions) },
    ],
  }

  const nodePart = (node: FlowNode) => {
    const action = actionOf(node)
    const people = peopleOf(node)
    const name = <span class="flow-name">{nameNode(node)}</span>
    const figures = `${formatCount(node.sessions)} · ${shareOf(node.sessions, sessions)}`
    return (
      <li
        key={node.name}
        class={node.name ? undefined : 'soft'}
        style={{
          left: `${node.place * column + barWidth + 4}px`,
          top: `${node.top}px`,
          width: `${column - barWidth - 12}px`,
        }}
        onMouseEnter={() => setChosen(node)}
        onMouseLeave={() => setChosen(undefined)}
      >
        {action ? (
          <button
            class="cell-button"
            type="button"
            title={`${nameNode(node)}: ${action.title}`}
            onClick={action.run}
            onFocus={() => setChosen(node)}
            onBlur={() => setChosen(undefined)}
          >
            {name}
          </button>
        ) : (
          name
        )}
        {people === undefined ? (
          <span class="soft">{figures}</span>
        ) : (
          <a
            class="soft figure-link"
            href={people}
            aria-label={`${figures} at ${nameNode(node)}: their people`}
          >
            {figures}
          </a>
        )}
      </li>
    )
  }

  /** A click on a bar does what the figures beside it do by the keyboard, too. */
  const barOf = (node: FlowNode) => {
    const people = peopleOf(node)
    return {
      class: `flow-bar${node.name === null ? ' is-end' : ''}${people === undefined ? '' : ' is-choice'}`,
      ...(people !== undefined && { onClick: () => openPage(people) }),
    }
  }

  return (
    <figure class="flow">
      <figcaption class="chart-legend">
        <span class="chart-place">A page’s percentage is of all {formatCount(sessions)} sessions.</span>
        <button
          class="button quiet"
          type="button"
          aria-pressed={isTable}
          aria-label={`Table: ${table.caption}`}
          onClick={() => setTable(!isTable)}
        >
          Table
        </button>
      </figcaption>
      {isTable && <Table {...table} />}
      <div ref={frame} class="flow-frame" hidden={isTable} tabIndex={0} role="group" aria-label="Flow">
        <div class="flow-plane" style={{ width: `${column * columns.length}px`, height: `${height}px` }}>
          <svg width={column * columns.length} height={height} aria-hidden="true">
            {bands.map((band) => {
              const { from, to } = band
              const isOn = chosen === from || chosen === to
              return (
                <path
                  key={table.rowKey(band)}
                  class={`flow-band${to.name === null ? ' is-end' : ''}${isOn ? ' is-on' : ''}`}
                  d={drawBand(band, from.place * column + barWidth, to.place * column)}
                >
                  <title>
                    {`${nameNode(from)} → ${nameNode(to)}: ${formatCount(band.sessions)} sessions, ${shareOf(band.sessions, from.sessions)} of those at ${nameNode(from)}`}
                  </title>
                </path>
              )
            })}
            {columns.flat().map((node) => (
              <rect
                key={`${node.place} ${node.name}`}
                x={node.place * column}
                y={node.top}
                width={barWidth}
                height={node.bar}
                {...barOf(node)}
              />
            ))}
          </svg>
          {columns.map((nodes, place) => (
            <ol key={place} aria-label={place === 0 ? 'From' : `Step ${place}`}>
              {nodes.map(nodePart)}
            </ol>
          ))}
        </div>
      </div>
      {!isTable && (
        <div class="visually-hidden">
          <PlainTable {...table} />
        </div>
      )}
    </figure>
  )
}
