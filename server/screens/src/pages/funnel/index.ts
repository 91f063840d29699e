import type { Page } from '../../shell/Page'
import { Funnel } from './Funnel'

export const page: Page = {
  path: '/app/funnel',
  title: 'Funnel',
  view: Funnel,
  controls: ['environment', 'range', 'bots', 'anonymous'],
}
