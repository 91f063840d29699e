import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DataFolder } from '../store/DataFolder.js'
import { OperatorError } from '../OperatorError.js'

/** Something to do with a data folder other than to serve it. */
export interface Command {
  name: string
  help: string
  /** Gives the exit code: 0 when all is well. What it throws is told in one sentence, with exit code 1. */
  run(given: Given): Promise<number>
}

export interface Given {
  argv: readonly string[]
  env: NodeJS.ProcessEnv
  /** Writes a line for whoever started the command. */
  print(line: string): void
}

/** Wrong words on the command line, in one sentence. */
export class WrongUsage extends Error {}

type Flags = Readonly<Record<string, { readonly type: 'string' }>>

interface Words<T extends Flags> {
  values: { [name in keyof T]?: string | undefined }
  /** What is neither a flag nor a flag's value. */
  others: string[]
}

/** Reads flags, and exactly as many other words as have a name. */
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
    // Its first sentence names the flag.
    throw new WrongUsage(`${(error as Error).message.split('. ', 1)[0]!.replace(/\.$/, '')}.`)
  }
}

export const dataFlag = { data: { type: 'string' } } as const

export const dataFolderOf = (values: { data?: string | undefined }, env: NodeJS.ProcessEnv): string =>
  values.data ?? env['WAYMARK_DATA'] ?? './waymark-data'

/** A folder with a store in it, which is not written to unless that is said. */
export const findStore = (path: string, access: 'write' | 'read' = 'read'): DataFolder => {
  if (!existsSync(join(path, 'store.json'))) {
    throw new OperatorError(`There is no store in ${path}; name its folder by --data.`)
  }
  return new DataFolder(path, access)
}
