import type { EngineSide } from '../link/openEngineSide.js'
import type { OpenedLog } from './AcceptLog.js'
import { TaskIds } from './TaskIds.js'
import type { Task } from './tasksRoute.js'

export interface FindTaskOptions {
  /** Of the accept log. */
  taskIds: TaskIds
  opened: OpenedLog
  engine: EngineSide | undefined
}

/** Where the task with an id is: in the accept log, or in a log of this data folder. */
export const findTask = ({ taskIds, opened, engine }: FindTaskOptions) => {
  const ofFolder = engine === undefined ? undefined : new TaskIds(engine.store.taskSecret)
  return (taskId: string): Task | undefined => {
    const place = taskIds.read(taskId)
    if (place?.log === opened.number) {
      const { last } = place
      return { last, applied: opened.applied(), deadLetter: opened.deadLetters.get(last) }
    }
    const other = ofFolder?.read(taskId)
    if (other === undefined) return undefined
    const { log, last } = other
    return {
      last,
      applied: engine?.logs.appliedOf(log),
      deadLetter: engine?.logs.lettersOf(log)?.get(last),
    }
  }
}
