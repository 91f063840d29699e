import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plan } from '../core/plan'
import { CommandError } from './CommandError'

const usualFiles = ['plan.ts', 'plan.mts', 'plan.mjs', 'plan.js']

/** The parts of esbuild that are used. */
interface Esbuild {
  build(options: object): Promise<{ outputFiles: { text: string }[] }>
}

/** Imports a package as the plan's own code would. */
export const importFrom = async (file: string, name: string): Promise<unknown> => {
  let path: string
  try {
    path = createRequire(file).resolve(name)
  } catch {
    return undefined
  }
  return import(pathToFileURL(path).href)
}

const importFile = (path: string) => import(pathToFileURL(path).href) as Promise<unknown>

/** What Node says of TypeScript that it cannot read, or that imports files as only bundlers find them. */
const isTypeScript = (error: unknown) =>
  /^ERR_(UNKNOWN_FILE_EXTENSION|MODULE_NOT_FOUND|UNSUPPORTED_\w+|INVALID_TYPESCRIPT_SYNTAX)$/.test(
    (error as NodeJS.ErrnoException).code ?? '',
  )

const importTypeScript = async (path: string): Promise<unknown> => {
  try {
    return await importFile(path)
  } catch (error) {
    if (!isTypeScript(error)) throw error
    const esbuild = (await importFrom(path, 'esbuild')) as Esbuild | undefined
    if (!esbuild)
      throw new CommandError(
        `Node ${process.versions.node} cannot read ${path} (${(error as Error).message.split('\n', 1)[0]}). Take Node 22.18 or later, install esbuild, or write the plan as plan.mjs.`,
      )
    const { outputFiles } = await esbuild.build({
      entryPoints: [path],
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      write: false,
      logLevel: 'silent',
    })
    // It lies beside the plan, so that it finds the same packages.
    const compiled = `${path}.${process.pid}.mjs`
    try {
      writeFileSync(compiled, outputFiles[0]!.text)
      return await importFile(compiled)
    } finally {
      rmSync(compiled, { force: true })
    }
  }
}

const isPlan = (value: unknown): value is Plan =>
  typeof (value as Plan | undefined)?.events === 'object' && !!(value as Plan).events

/** Imports the plan, from the file that is named or the usual one. */
export const loadPlan = async (name = usualFiles.find((file) => existsSync(file))) => {
  if (!name)
    throw new CommandError(
      `There is no ${usualFiles.join(', ')} here: name the file of your plan. See --help.`,
    )
  const path = resolve(name)
  if (!existsSync(path)) throw new CommandError(`There is no file ${name}.`)
  let module: { default?: unknown }
  try {
    module = (await (/\.[mc]?ts$/.test(path) ? importTypeScript : importFile)(path)) as typeof module
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${name} fails: ${(error as Error).message}`)
  }
  const plan = module.default
  if (!isPlan(plan)) throw new CommandError(`${name} has no default export of definePlan({ events: … }).`)
  return { path, plan }
}
