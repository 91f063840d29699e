// The drivers, tools and clients that the step `clients` runs, and where they are had from.
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../setup/root.mjs'
import { run } from '../setup/run.mjs'
import { driverPackages, installPython, senderPackages, toolPackages } from './installPackages.mjs'

const folder = join(root, 'server/test/clients')
export const at = (/** @type {string} */ name) => join(folder, name)
// Debian's packages are for Debian's Python.
const python = '/usr/bin/python3'

/**
 * A folder of the cache with what several tools need, so that the next run finds what this one has made.
 * @typedef {{ cwd: string, prepare: () => Promise<string | undefined> }} Room `prepare` says why it cannot be had, and
 *   throws if it does not compile.
 */

/** @param {string} cwd @param {() => Promise<string | undefined>} prepare @returns {Room} */
const room = (cwd, prepare) => {
  /** @type {Promise<string | undefined> | undefined} */
  let prepared
  return { cwd: join(root, '.cache', cwd), prepare: () => (prepared ??= prepare()) }
}

/** What compilers and registries have made, for the next run. */
const made = new Set(['clients', 'Cargo.lock', 'target', 'node_modules', 'prismaClient'])

/** Copies the sources to a folder of the cache, from which those go that are there no more. @param {string} from @param {string} cwd */
export function copySources(from, cwd) {
  for (const each of readdirSync(cwd))
    if (!made.has(each)) rmSync(join(cwd, each), { recursive: true, force: true })
  cpSync(from, cwd, { recursive: true, preserveTimestamps: true })
}

/**
 * Clients of one language, in a folder of server/test/clients whose packages come from the language's registry.
 * @param {string} name
 * @param {{ has: string[], fetch: string[], make?: string[] }} how
 */
const language = (name, { has, fetch, make }) => {
  const clients = room(`clients/${name}`, async () => {
    const { cwd } = clients
    const call = (/** @type {string[]} */ [command = '', ...args]) =>
      run(command, args, { quiet: true, timeoutMs: 900_000, cwd })
    mkdirSync(cwd, { recursive: true })
    if ((await call(has)).code !== 0) return 'not on this machine'
    copySources(at(name), cwd)
    const { code, output } = await call(fetch)
    if (code !== 0)
      return `its packages are not to be had: ${output.trim().replaceAll(/\s+/g, ' ').slice(-200)}`
    const compiled = make && (await call(make))
    if (compiled && compiled.code !== 0) throw new Error(`${name} does not compile:\n${compiled.output}`)
    return undefined
  })
  return clients
}

const go = language('go', {
  has: ['go', 'version'],
  fetch: ['go', 'mod', 'download'],
  make: ['go', 'build', '-o', 'clients', '.'],
})
const rust = language('rust', {
  has: ['cargo', '--version'],
  fetch: ['cargo', 'fetch', '--quiet'],
  make: ['cargo', 'build', '--quiet', '--offline'],
})
const copyJars = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'
const java = language('java', {
  has: ['bash', '-c', 'mvn -version && javac -version'],
  fetch: ['mvn', '--batch-mode', '--quiet', copyJars, '-DoutputDirectory=jars'],
  make: ['bash', '-c', 'javac -nowarn -proc:none -cp "jars/*" -d classes *.java'],
})
export const node = language('node', {
  has: ['npm', '--version'],
  // No script of a package is run.
  fetch: ['npm', 'install', '--ignore-scripts', '--no-package-lock', '--prefer-offline', '--no-audit'],
  // Prisma would have a program for migrations, which is in no registry, and does not use it here.
  make: ['env', 'PRISMA_SCHEMA_ENGINE_BINARY=/bin/true', 'npx', 'prisma', 'generate'],
})

/** SDKs of other programs, which send events. */
const senders = language('senders', {
  has: ['npm', '--version'],
  fetch: ['npm', 'install', '--ignore-scripts', '--no-package-lock', '--prefer-offline', '--no-audit'],
})

/** Python's packages that Debian has not, or not as new. @param {string} name @param {string[]} packages */
const environment = (name, packages) =>
  room(`suites/${name}`, async () =>
    (await installPython(name, packages)) === undefined ? 'its packages are not to be had' : undefined,
  )
const newer = environment('tools', toolPackages)
const sendersOfPython = environment('senders', senderPackages)
const newest = environment('drivers', driverPackages)

/**
 * `has` ends well where the tool is there.
 * @typedef {{ name: string, command: string[], has?: string[], of?: Room }} Tool
 */

const superset = join(root, '.cache/suites/superset/bin/python')

/** @param {string} name @param {string} module @returns {Tool} */
const pythonTool = (name, module) => ({
  name,
  has: [python, '-c', `import ${module}`],
  command: [python, '-B', at(`${module}_.py`)],
})
/** @param {string} name @param {string} file @param {Room} of @returns {Tool} */
const newerTool = (name, file, of) => ({ name, of, command: ['bin/python', '-B', at(file)] })
/** @param {string} name @param {string} which @returns {Tool} */
const goTool = (name, which) => ({ name, of: go, command: ['./clients', which] })
/** @param {string} name @param {string} which @returns {Tool} */
const rustTool = (name, which) => ({ name, of: rust, command: ['target/debug/clients', which] })
/** @param {string} name @param {string} which @returns {Tool} */
const javaTool = (name, which) => ({ name, of: java, command: ['java', '-cp', 'classes:jars/*', which] })
/** @param {string} name @param {string} which @returns {Tool} */
const nodeTool = (name, which) => ({ name, of: node, command: [process.execPath, `${which}.mjs`] })

/** @param {string} which @returns {Tool} */
const senderTool = (which) => ({
  name: `${which}, sending`,
  of: senders,
  command: [process.execPath, 'senders.mjs', which],
})

/** @type {Tool[]} */
const tools = [
  { name: 'psql', has: ['psql', '--version'], command: ['bash', at('psql.sh')] },
  { name: 'node pg', command: [process.execPath, at('node-pg.mjs')] },
  pythonTool('psycopg 2', 'psycopg2'),
  pythonTool('psycopg 3', 'psycopg'),
  pythonTool('asyncpg', 'asyncpg'),
  pythonTool('SQLAlchemy', 'sqlalchemy'),
  pythonTool('pandas', 'pandas'),
  pythonTool('Django', 'django'),
  pythonTool('ODBC (pyodbc)', 'pyodbc'),
  newerTool('SQLAlchemy 2.0', 'reflect_.py', newer),
  newerTool('SQLAlchemy 2.1', 'reflect_.py', newest),
  newerTool('ADBC (pandas, polars)', 'adbc_.py', newer),
  newerTool('dlt', 'dlt_.py', newer),
  newerTool('dbt', 'dbt_.py', newer),
  // 700 MB: it is tried where it is there, by `python3 -m venv .cache/suites/superset` and its pip's
  // `install apache-superset==5.0.0 'marshmallow<4' psycopg2-binary`.
  {
    name: 'Superset',
    has: [superset, '-c', 'import superset'],
    command: [superset, '-B', at('superset_.py')],
  },
  { name: 'Ruby pg', has: ['ruby', '-e', 'require "pg"'], command: ['ruby', at('ruby-pg.rb')] },
  {
    name: 'Rails',
    has: ['ruby', '-e', 'require "active_record"; require "pg"'],
    command: ['ruby', at('rails.rb')],
  },
  {
    name: 'PHP (PDO, pgsql)',
    has: ['php', '-r', 'exit(extension_loaded("pdo_pgsql") ? 0 : 1);'],
    command: ['php', at('php.php')],
  },
  goTool('Go pgx', 'pgx'),
  goTool('Go lib/pq', 'pq'),
  rustTool('Rust tokio-postgres', 'tokio-postgres'),
  rustTool('Rust sqlx', 'sqlx'),
  javaTool('JDBC', 'Jdbc'),
  javaTool('R2DBC', 'R2dbc'),
  javaTool('Hibernate', 'HibernateOrm'),
  javaTool('jOOQ', 'Jooq'),
  nodeTool('postgres.js', 'postgres-js'),
  nodeTool('Sequelize', 'sequelize'),
  nodeTool('TypeORM', 'typeorm'),
  nodeTool('Prisma', 'prisma'),
  nodeTool('Drizzle', 'drizzle'),
  nodeTool('Kysely', 'kysely'),
  nodeTool('Knex', 'knex'),
  nodeTool("Cube's postgres driver", 'cube'),
  ...['Metabase', 'Grafana', 'Power BI', 'Tableau', 'DuckDB', 'DBeaver', 'people'].map((name) => ({
    name: `${name}, by statements alone`,
    command: [process.execPath, at('byStatements.mjs'), name.toLowerCase().replace(' ', '-')],
  })),
  // They store events, which others would count.
  goTool('Go by HTTP', 'api'),
  rustTool('Rust by HTTP', 'api'),
  javaTool('Java by HTTP', 'Api'),
  ...['analytics-node', 'rudder-sdk-node', 'posthog-node', 'mixpanel', 'amplitude-node', '@umami/node'].map(
    senderTool,
  ),
  senderTool('snowplow-node'),
  ...['segment', 'posthog', 'amplitude', 'mixpanel'].map((which) => ({
    name: `${which} for Python, sending`,
    of: sendersOfPython,
    command: ['bin/python', '-B', at('senders_.py'), which],
  })),
]

/** Prepares what tools need while others run. What cannot be prepared is told by the tool that needs it. @param {Tool[]} wanted */
export async function prepareBeside(wanted) {
  for (const each of new Set(wanted.map(({ of }) => of))) await each?.prepare().catch(() => undefined)
}

/** The tools whose names have one of the words; all of them without a word. @param {string[]} words */
export function toolsOf(words) {
  const stray = words.find((word) => !tools.some(({ name }) => name.includes(word)))
  if (stray !== undefined)
    throw new Error(`There is no tool ${stray}: ${tools.map(({ name }) => name).join(', ')}.`)
  return tools.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
}
