import type { Page } from '../../shell/Page'
import { Explore } from './Explore'

export const page: Page = { path: '/app/explore', title: 'Explore', view: Explore, isFiltered: true }
