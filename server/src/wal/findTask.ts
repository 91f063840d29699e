import type { EngineSide } from '../link/openEngineSide.js'
import type { OpenedLog } from './AcceptLog.js'
import { TaskIds } from './TaskIds.js'
import type { Task } from './tasksRoute.js'

export interface FindTaskOptions {
  /** The task ids of the accept log. */
  taskIds: TaskIds
  opened: OpenedLog
  engine: EngineSide | undefined
}

/** Finds a task by its id: in the accept log, or in a log of this data folder. */
export const findTask = ({ taskIds, opened, engine }: FindTaskOptions) => {
  const folderIds = engine === undefined ? undefined : new TaskIds(engine.store.taskSecret)
  return (taskId: string): Task | undefined => {
    const accepted = taskIds.read(taskId)
    if (accepted?.log === opened.number) {
      const { last } = accepted
      return { last, applied: opened.applied(), deadLetter: opened.deadLetters.get(last) }
    }
    const other = folderIds?.read(taskId)
    if (other === undefined) return undefined
    const { log, last } = other
    return {
      last,
      applied: engine?.logs.appliedOf(log),
      deadLetter: engine?.logs.lettersOf(log)?.get(last),
    }
  }
}
