import type { Page } from '../shell/Page'
import { page as errors } from './errors'
import { page as explore } from './explore'
import { page as funnel } from './funnel'
import { page as live } from './live'
import { page as overview } from './overview'
import { page as paths } from './paths'
import { page as persons } from './persons'
import { page as plan } from './plan'
import { page as retention } from './retention'
import { page as setup } from './setup'
import { page as sql } from './sql'
import { page as vitals } from './vitals'

/** In the order of the navigation. */
export const pages: readonly Page[] = [
  overview,
  explore,
  live,
  persons,
  funnel,
  retention,
  paths,
  vitals,
  errors,
  plan,
  sql,
  setup,
]
