export type EntryKind = 'track' | 'identify' | 'alias'

export interface TrackPayload {
  environment: string
  event: string
  properties: Record<string, unknown>
  distinct_id?: string | null
  anonymous_id?: string | null
  device_id?: string | null
  session_id?: string | null
  timestamp?: number | string | null
}

export interface IdentifyPayload {
  environment: string
  distinct_id: string
  anonymous_id?: string | null
  traits?: Record<string, unknown> | null
  timestamp?: number | string | null
}

export interface AliasPayload {
  environment: string
  distinct_id: string
  new_user_id: string
}

const name = { type: 'string', minLength: 1 }
const optional = { type: 'string', nullable: true }
const timestamp = { type: ['integer', 'string', 'null'] }

const list = (required: string[], properties: object) => ({
  type: 'array',
  items: { type: 'object', required, properties },
})

/** Each schema is for an array of payloads: a single object is put into an array before it is checked. */
export const payloadSchemas: Record<EntryKind, object> = {
  track: list(['environment', 'event', 'properties'], {
    environment: { type: 'string' },
    event: name,
    properties: { type: 'object' },
    distinct_id: optional,
    anonymous_id: optional,
    device_id: optional,
    session_id: optional,
    timestamp,
  }),
  identify: list(['environment', 'distinct_id'], {
    environment: { type: 'string' },
    distinct_id: name,
    anonymous_id: optional,
    traits: { type: 'object', nullable: true },
    timestamp,
  }),
  alias: list(['environment', 'distinct_id', 'new_user_id'], {
    environment: { type: 'string' },
    distinct_id: name,
    new_user_id: name,
  }),
}
