/** The events of waymark's own plugins, which no plan lists: they are always valid, as is each event of a name with `$`. */
const ownEvents: ReadonlySet<string> = new Set([
  'Error Caught',
  'File Downloaded',
  'Form Submitted',
  'Outbound Link Clicked',
  'Page Engaged',
  'Web Vital',
])

export const isOwnEvent = (name: string): boolean => name.charCodeAt(0) === 0x24 || ownEvents.has(name)

const campaign = 'utm_(?:source|medium|campaign|term|content)'
const clickIds = '[gd]clid|fbclid|msclkid|t[tw]clid|li_fat_id'

/** An expression of what the library and its plugins add to events of any name, besides the properties with `$`. */
export const addedProperties = `(?:insert_id|browser_time_zone|form_(?:id|name|action)|${clickIds}|(?:first|last)_(?:${campaign}|${clickIds}|referrer|landing_url))`

const added = new RegExp(`^${addedProperties}$`)

export const isOwnProperty = (name: string): boolean => name.charCodeAt(0) === 0x24 || added.test(name)
