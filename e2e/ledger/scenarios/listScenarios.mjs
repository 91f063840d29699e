import { badPayload } from './badPayload.mjs'
import { behindWorker } from './behindWorker.mjs'
import { closing } from './closing.mjs'
import { killHidden } from './killHidden.mjs'
import { killInTask } from './killInTask.mjs'
import { kills } from './kills.mjs'
import { leaving } from './leaving.mjs'
import { onlineTooEarly } from './onlineTooEarly.mjs'
import { outages } from './outages.mjs'
import { returning } from './returning.mjs'
import { signing } from './signing.mjs'
import { unreachable } from './unreachable.mjs'
import { storageScenarios } from './withoutStorage.mjs'

/** Every scenario, in the order of the table. */
export const scenarios = [
  ...leaving,
  ...closing,
  ...behindWorker,
  ...signing,
  ...onlineTooEarly,
  ...returning,
  ...storageScenarios,
  ...outages,
  ...unreachable,
  ...badPayload,
  ...kills,
  ...killInTask,
  ...killHidden,
]
