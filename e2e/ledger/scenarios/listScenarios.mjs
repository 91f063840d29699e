import { badPayload } from './badPayload.mjs'
import { closing } from './closing.mjs'
import { kills } from './kills.mjs'
import { leaving } from './leaving.mjs'
import { outages } from './outages.mjs'
import { returning } from './returning.mjs'
import { unreachable } from './unreachable.mjs'
import { storageScenarios } from './withoutStorage.mjs'

/** Every scenario, in the order of the table. */
export const scenarios = [
  ...leaving,
  ...closing,
  ...returning,
  ...storageScenarios,
  ...outages,
  ...unreachable,
  ...badPayload,
  ...kills,
]
