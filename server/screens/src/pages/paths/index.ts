import type { Page } from '../../shell/Page'
import { Paths } from './Paths'

export const page: Page = { path: '/app/paths', title: 'Paths', view: Paths }
