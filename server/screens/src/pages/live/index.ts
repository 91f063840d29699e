import type { Page } from '../../shell/Page'
import { Live } from './Live'

export const page: Page = {
  path: '/app/live',
  title: 'Live',
  view: Live,
  controls: ['environment', 'bots'],
}
