import type { Json } from '../../data/query'

/** A page, or some, at one place of the ways. */
export interface FlowNode {
  place: number
  /** A path, a pattern, the empty text for the pages that are not shown; null where the session ended. */
  name: string | null
  /** How many pages the name stands for. */
  pages: number
  sessions: number
  /** From the top, in pixels. */
  top: number
  /** What it takes up, with its text. */
  height: number
  /** As high as its sessions are many. */
  bar: number
}

export interface FlowBand {
  from: FlowNode
  to: FlowNode
  sessions: number
  /** Where it begins, at the bar of `from`, and ends, at that of `to`. */
  fromTop: number
  toTop: number
  thickness: number
}

export interface Flow {
  /** By place, the most frequent first. */
  columns: FlowNode[][]
  bands: FlowBand[]
  height: number
  /** How many sessions came by the first place. */
  sessions: number
}

/** The name, the figures, and some room. */
const textHeight = 44
/** What all sessions together are high. */
const barsHeight = 260

const rankOf = ({ name, sessions }: FlowNode) => (name === null ? -2 : name === '' ? -1 : sessions)
const sum = (nodes: readonly FlowNode[]) => nodes.reduce((total, { sessions }) => total + sessions, 0)

/** Lays out rows of `paths`: columns of pages, with bands between them. */
export function toFlow(rows: readonly Json[][]): Flow {
  const nodes = new Map<string, FlowNode>()
  const nodeOf = (place: number, value: Json | undefined, pages: Json | undefined) => {
    const name = typeof value === 'string' ? value : null
    const key = JSON.stringify([place, name])
    const node = nodes.get(key) ?? {
      place,
      name,
      pages: Number(pages ?? 0),
      sessions: 0,
      top: 0,
      height: 0,
      bar: 0,
    }
    nodes.set(key, node)
    return node
  }
  const bands = rows.map(([step, fromName, fromPages, toName, toPages, count]): FlowBand => {
    const [place, sessions] = [Number(step), Number(count)]
    const from = nodeOf(place - 1, fromName, fromPages)
    const to = nodeOf(place, toName, toPages)
    // All that come to a page also go on from it or end there, so each is counted once, where it comes.
    to.sessions += sessions
    if (place === 1) from.sessions += sessions
    return { from, to, sessions, fromTop: 0, toTop: 0, thickness: 0 }
  })

  const columns: FlowNode[][] = []
  for (const node of nodes.values()) (columns[node.place] ??= []).push(node)
  const all = sum(columns[0] ?? [])
  const scale = barsHeight / (all || 1)
  for (const column of columns) {
    column.sort((a, b) => rankOf(b) - rankOf(a))
    let top = 0
    for (const node of column) {
      node.top = top
      node.bar = Math.max(2, node.sessions * scale)
      node.height = textHeight + node.sessions * scale
      top += node.height
    }
  }
  // At a bar bands lie in the order of the pages at their other end, so that few cross.
  const used = new Map<FlowNode, { out: number; in: number }>()
  const take = (node: FlowNode, side: 'out' | 'in', thickness: number) => {
    const own = used.get(node) ?? { out: 0, in: 0 }
    used.set(node, own)
    const at = node.top + own[side]
    own[side] += thickness
    return at
  }
  for (const band of bands) band.thickness = band.sessions * scale
  for (const band of bands.toSorted((a, b) => a.to.top - b.to.top))
    band.fromTop = take(band.from, 'out', band.thickness)
  for (const band of bands.toSorted((a, b) => a.from.top - b.from.top))
    band.toTop = take(band.to, 'in', band.thickness)
  const height = Math.max(0, ...[...nodes.values()].map((node) => node.top + node.height))
  return { columns, bands, height, sessions: all }
}

/** The outline of a band between two columns, as the path of an SVG. */
export function drawBand({ fromTop, toTop, thickness }: FlowBand, left: number, right: number): string {
  const middle = (left + right) / 2
  const height = Math.max(1, thickness)
  return [
    `M${left},${fromTop}C${middle},${fromTop} ${middle},${toTop} ${right},${toTop}`,
    `V${toTop + height}C${middle},${toTop + height} ${middle},${fromTop + height} ${left},${fromTop + height}Z`,
  ].join('')
}
