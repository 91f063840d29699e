import type { Properties } from '../core/types'
import { readMember } from './readMember'

/** The event that an element names by `data-track`, with the properties of its `data-track-*` attributes. */
export function readTrackData(element: Element): [event: string, properties: Properties] | undefined {
  const event = readMember(element, 'getAttribute', 'data-track')
  if (!event) return undefined
  const properties: Properties = {}
  for (const { name, value } of readMember(element, 'attributes')) {
    if (name.startsWith('data-track-')) properties[name.slice(11).replaceAll('-', '_')] = value
  }
  return [event, properties]
}
