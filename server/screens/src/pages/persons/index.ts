import type { Page } from '../../shell/Page'
import { Persons } from './Persons'

export const page: Page = {
  path: '/app/persons',
  title: 'People',
  view: Persons,
  // All that is known of one person is shown, whenever it was.
  controls: (search) => (search.has('id') ? ['environment'] : ['environment', 'range', 'bots']),
  isFiltered: true,
}
