import type { Page } from '../../shell/Page'
import { SetUp } from './SetUp'

export const page: Page = { path: '/app/setup', title: 'Set up', view: SetUp, controls: ['environment'] }
