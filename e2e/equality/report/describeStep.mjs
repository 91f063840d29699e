/** @param {import('../types').Call} call */
function describeCall([name, ...given]) {
  if (name === 'wait') return ''
  if (name === 'track') return String(given[0])
  if (name === 'setConsent') return `consent ${String(given[0])}`
  if (name === 'updateTraits') return 'changes traits'
  return given[0] === undefined ? name : `${name} ${String(given[0])}`
}

/** @param {import('../types').Place & { fromNews?: boolean }} place */
const describePlace = ({ path, utm, fromNews }) =>
  `${decodeURI(path)}${utm ? ` (campaign ${utm.source})` : ''}${fromNews ? ' (from another site)' : ''}`

/** @param {import('../types').Deed} deed */
function describeDeed(deed) {
  switch (deed.kind) {
    case 'visit':
    case 'link':
      return describePlace(deed)
    case 'network':
      return deed.isOnline ? 'network back' : deed.isKnown ? 'offline' : 'network gone'
    case 'fail':
      return 'a request fails'
    case 'close':
      return 'closes the tab'
    case 'kill':
      return 'browser killed'
    case 'call': {
      const names = deed.calls.map(describeCall).filter(Boolean)
      const calls = names.length > 4 ? `${names[0]}, ${names.length} times in a day` : names.join(', ')
      const end =
        deed.end === 'close'
          ? ', closes the tab at once'
          : deed.end
            ? `, leaves at once for ${deed.end.path}`
            : ''
      return calls + end
    }
    default:
      return deed.kind
  }
}

/** What a person did, in one line. @param {import('../types').Person} person */
export const describePerson = ({ devices, steps }) =>
  steps
    .map(({ device, tab, deed }) => {
      const name = devices.length > 1 ? `${device.split('/')[1]}: ` : tab === 2 ? 'second tab: ' : ''
      return name + describeDeed(deed)
    })
    .join(' → ')
