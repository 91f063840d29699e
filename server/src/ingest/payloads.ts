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
