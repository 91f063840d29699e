import type { Page } from '../../shell/Page'
import { Persons } from './Persons'

export const page: Page = {
  path: '/app/persons',
  title: 'People',
  view: Persons,
  controls: ['environment'],
}
