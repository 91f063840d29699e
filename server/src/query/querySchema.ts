export interface QueryRequest {
  statement: string
  catalog?: string | null
  schema?: string | null
  session_id?: string | null
  query_id?: string | null
  compute_size?: string | null
  dialect?: string | null
  ephemeral?: boolean | null
  format?: string | null
  limit?: number | null
  offset?: number | null
  sanitize?: boolean | null
  cache?: boolean | null
  timezone?: string | null
  requested_by?: string | null
}

const text = { type: 'string', nullable: true }
const flag = { type: 'boolean', nullable: true }
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, nullable: true }
const oneOf = (...values: string[]) => ({ type: 'string', nullable: true, enum: [...values, null] })

export const querySchema = {
  type: 'object',
  required: ['statement'],
  properties: {
    statement: { type: 'string' },
    catalog: text,
    schema: text,
    session_id: text,
    query_id: text,
    compute_size: oneOf('XS', 'S', 'M', 'L', 'XL', 'AUTO'),
    dialect: text,
    ephemeral: flag,
    format: oneOf('default', 'csv', 'jsonl', 'parquet'),
    limit: count,
    offset: count,
    sanitize: flag,
    cache: flag,
    timezone: text,
    requested_by: text,
  },
}
