import { startAnswers } from './answers.js'
import { startColumnList } from './columnList.js'
import { startQueueView } from './queueView.js'
import { startServiceSwitch } from './serviceSwitch.js'
import { startSqlBox } from './sqlBox.js'

// On a narrow screen the live view is a page of its own, and beside the shop there is only the dock.
const panel = document.querySelector('#live')
const isShown = () => panel !== null && panel.offsetParent !== null

/** @type {ReturnType<typeof startAnswers> | undefined} */
let answers
const refresh = () => void answers?.refresh()
if (panel) {
  answers = startAnswers({ isShown, service: startServiceSwitch({ changed: refresh }) })
  startSqlBox()
  startColumnList()
}
startQueueView({ changed: refresh })
