interface RawNode {
  name?: string
  children?: RawNode[]
  extra_info?: Record<string, unknown>
}

export interface PlanNode {
  name: string
  rows: number
  table?: string
  filters?: string
  children: PlanNode[]
}

const textOf = (value: unknown): string | undefined => {
  if (Array.isArray(value)) return value.map(String).join(' AND ')
  return typeof value === 'string' && value !== '' ? value : undefined
}

const read = ({ name = '', children = [], extra_info = {} }: RawNode): PlanNode => {
  const table = textOf(extra_info['Table'])
  const filters = textOf(extra_info['Filters'])
  // DuckDB writes its estimates as text.
  const rows = Number(textOf(extra_info['Estimated Cardinality']) ?? 0)
  return {
    name: name.trim(),
    rows: Number.isFinite(rows) ? Math.max(0, Math.floor(rows)) : 0,
    ...(table === undefined ? {} : { table }),
    ...(filters === undefined ? {} : { filters }),
    children: children.map(read),
  }
}

/** `EXPLAIN (FORMAT JSON)` as a tree. */
export const parsePlan = (json: string): PlanNode[] => (JSON.parse(json) as RawNode[]).map(read)

/** The scans of stored tables in a plan. */
export const estimateScans = (nodes: readonly PlanNode[]): PlanNode[] =>
  nodes.flatMap((node) => [
    ...(node.name === 'SEQ_SCAN' || node.name === 'INDEX_SCAN' ? [node] : []),
    ...estimateScans(node.children),
  ])
