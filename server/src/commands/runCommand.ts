import { OperatorError, reasonOf } from '../OperatorError.js'
import { backup } from './backup.js'
import { check } from './check.js'
import { crawlers } from './crawlers.js'
import { type Given, WrongUsage } from './Command.js'
import { exportParquet } from './export.js'
import { importHistory } from './import.js'
import { restore } from './restore.js'
import { retryRejected } from './retryRejected.js'
import { salvage } from './salvage.js'

const commands = [backup, restore, check, salvage, retryRejected, exportParquet, importHistory, crawlers]

/** Runs the command with this name, and gives its exit code: 2 when the command line is wrong. */
export const runCommand = async (
  name: string,
  given: Given,
  complain: (line: string) => void,
): Promise<number> => {
  const command = commands.find((each) => each.name === name)
  if (command === undefined) {
    complain(
      `There is no command ${name}; there are ${commands.map((each) => each.name).join(', ')} and hash-password. See --help.`,
    )
    return 2
  }
  if (given.argv.some((word) => word === '--help' || word === '-h')) {
    given.print(command.help.trimEnd())
    return 0
  }
  try {
    return await command.run(given)
  } catch (error) {
    if (error instanceof WrongUsage) {
      complain(`${error.message} See waymark-server ${name} --help.`)
      return 2
    }
    const reason = reasonOf(error)
    complain(error instanceof OperatorError ? reason : `${name} failed: ${reason}`)
    return 1
  }
}
