// What plugins and the library record under names of their own: no plan has to list it.

/** The library's events, and those of plugins. */
export const isOwnEvent = (name: string) =>
  /^(\$.*|Page Engaged|Web Vital|Error Caught|File Downloaded|Outbound Link Clicked|Form Submitted)$/s.test(
    name,
  )

const campaign = 'utm_(source|medium|campaign|term|content)'
const clickIds = '[gd]clid|fbclid|msclkid|t(t|w)clid|li_fat_id'

const ownProperty = new RegExp(
  `^(\\$.*|insert_id|browser_time_zone|form_(id|name|action)|${clickIds}|(first|last)_(${campaign}|${clickIds}|referrer|landing_url))$`,
  's',
)

/** Built-in properties, and those that the library or a plugin adds to events of the application. */
export const isOwnProperty = (name: string) => ownProperty.test(name)
