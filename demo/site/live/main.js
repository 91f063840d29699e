import { startAnswers } from './answers.js'
import { startQueueView } from './queueView.js'
import { startServiceSwitch } from './serviceSwitch.js'
import { startSqlBox } from './sqlBox.js'
import { startSteps } from './steps.js'

// On a narrow screen the live view is a page of its own, and beside the shop there is only the dock.
const panel = document.querySelector('#live')
const isShown = () => panel !== null && panel.offsetParent !== null

const serviceSwitch = panel && startServiceSwitch()
const answers = panel && startAnswers({ isShown, lost: () => serviceSwitch.look() })
startQueueView({ changed: () => answers?.refresh() })
if (panel) {
  const steps = startSteps()
  startSqlBox({ answered: () => steps.did('ask') })
}
