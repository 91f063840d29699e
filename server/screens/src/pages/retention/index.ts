import type { Page } from '../../shell/Page'
import { Retention } from './Retention'

export const page: Page = {
  path: '/app/retention',
  title: 'Retention',
  view: Retention,
  controls: ['environment', 'range', 'bots', 'anonymous'],
}
