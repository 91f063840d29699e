import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DataFolder } from '../disk/DataFolder.js'
import { OperatorError } from '../OperatorError.js'

/** A command of `waymark-server` that works on a data folder without serving it. */
export interface Command {
  name: string
  help: string
  /** Gives the exit code: 0 when all is well. An error is printed as one sentence, with exit code 1. */
  run(given: Given): Promise<number>
}

export interface Given {
  argv: readonly string[]
  env: NodeJS.ProcessEnv
  /** Writes a line for whoever started the command. */
  print(line: string): void
}

/** Says in one sentence what is wrong with the command line. */
export class WrongUsage extends Error {}

type Flags = Readonly<Record<string, { readonly type: 'string' }>>

interface Words<T extends Flags> {
  values: { [name in keyof T]?: string | undefined }
  /** The words that are neither flags nor values of flags. */
  others: string[]
}

/** Reads flags and other words; `names` says how many other words there must be, and what each means. */
export const readWords = <T extends Flags>(
  argv: readonly string[],
  options: T,
  names: readonly string[] = [],
): Words<T> => {
  const { values, positionals: others } = parse(argv, options)
  if (others.length < names.length) throw new WrongUsage(`${names[others.length]} is missing.`)
  if (others.length > names.length) throw new WrongUsage(`${others[names.length]} is one word too many.`)
  return { values, others }
}

const parse = (argv: readonly string[], options: Flags) => {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true })
  } catch (error) {
    // The first sentence of an error of `parseArgs` names the flag.
    throw new WrongUsage(`${(error as Error).message.split('. ', 1)[0]!.replace(/\.$/, '')}.`)
  }
}

export const dataFlag = { data: { type: 'string' } } as const

export const dataFolderOf = (values: { data?: string | undefined }, env: NodeJS.ProcessEnv): string =>
  values.data ?? env['WAYMARK_DATA'] ?? './waymark-data'

/** Finds the store in a folder. The folder is only read unless `access` says otherwise. */
export const findStore = (path: string, access: 'write' | 'read' = 'read'): DataFolder => {
  if (!existsSync(join(path, 'store.json'))) {
    throw new OperatorError(`There is no store in ${path}; name its folder by --data.`)
  }
  return new DataFolder(path, access)
}
