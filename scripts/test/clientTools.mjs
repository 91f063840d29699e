// The drivers, tools and clients that the step `clients` runs, and where they are had from.
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../setup/root.mjs'
import { run } from '../setup/run.mjs'

const folder = join(root, 'server/test/clients')
export const at = (/** @type {string} */ name) => join(folder, name)
// Debian's packages are for Debian's Python.
const python = '/usr/bin/python3'

/**
 * Clients of one language, in a folder of server/test/clients whose packages come from the language's registry. It is
 * copied to `cwd`, a folder of the cache, where it is compiled, so that the next run finds what this one has made.
 * @typedef {{ cwd: string, has: string[], fetch: string[], make?: string[], prepared?: Promise<string | undefined> }} Fetched
 */

/** @param {string} name @param {Omit<Fetched, 'cwd'>} how @returns {Fetched} */
const fetched = (name, how) => ({ cwd: join(root, '.cache/clients', name), ...how })

const go = fetched('go', {
  has: ['go', 'version'],
  fetch: ['go', 'mod', 'download'],
  make: ['go', 'build', '-o', 'clients', '.'],
})
const rust = fetched('rust', {
  has: ['cargo', '--version'],
  fetch: ['cargo', 'fetch', '--quiet'],
  make: ['cargo', 'build', '--quiet', '--offline'],
})
const java = fetched('java', {
  has: ['bash', '-c', 'mvn -version && javac -version'],
  fetch: [
    'mvn',
    '--batch-mode',
    '--quiet',
    'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies',
    '-DoutputDirectory=jars',
  ],
  make: ['bash', '-c', 'javac -nowarn -proc:none -cp "jars/*" -d classes *.java'],
})
const node = fetched('node', {
  has: ['npm', '--version'],
  // No script of a package is run.
  fetch: ['npm', 'install', '--ignore-scripts', '--no-package-lock', '--prefer-offline', '--no-audit'],
})

/** What has been made of other versions, or is no longer there, must not be found. */
const anew = ['jars', 'classes']

/** @param {Fetched} of @returns {Promise<string | undefined>} why it cannot be tried @throws if it does not compile */
export const prepareFetched = (of) => (of.prepared ??= prepare(of))

/** @param {Fetched} of @returns {Promise<string | undefined>} */
async function prepare({ cwd, has, fetch, make }) {
  const call = (/** @type {string[]} */ [command = '', ...args]) =>
    run(command, args, { quiet: true, timeoutMs: 900_000, cwd })
  mkdirSync(cwd, { recursive: true })
  if ((await call(has)).code !== 0) return 'not on this machine'
  for (const name of anew) rmSync(join(cwd, name), { recursive: true, force: true })
  cpSync(at(cwd.split('/').at(-1) ?? ''), cwd, { recursive: true, preserveTimestamps: true })
  const had = await call(fetch)
  if (had.code !== 0)
    return `its packages are not to be had: ${had.output.trim().replaceAll(/\s+/g, ' ').slice(-200)}`
  const made = make && (await call(make))
  if (made && made.code !== 0) throw new Error(`${fetch[0]} does not compile:\n${made.output}`)
  return undefined
}

/**
 * `has` ends well where the tool is there; `missing` says why it cannot be.
 * @typedef {{ name: string, command: string[], has?: string[], of?: Fetched, missing?: string }} Tool
 */

/** @param {string} name @param {string} module @returns {Tool} */
const pythonTool = (name, module) => ({
  name,
  has: [python, '-c', `import ${module}`],
  command: [python, '-B', at(`${module}_.py`)],
})
/** @param {string} name @param {string} which @returns {Tool} */
const goTool = (name, which) => ({ name, of: go, command: ['./clients', which] })
/** @param {string} name @param {string} which @returns {Tool} */
const rustTool = (name, which) => ({ name, of: rust, command: ['target/debug/clients', which] })
/** @param {string} name @param {string} which @returns {Tool} */
const javaTool = (name, which) => ({ name, of: java, command: ['java', '-cp', 'classes:jars/*', which] })
/** @param {string} name @param {string} which @returns {Tool} */
const nodeTool = (name, which) => ({ name, of: node, command: [process.execPath, `${which}.mjs`] })

/** @type {Tool[]} */
export const tools = [
  { name: 'psql', has: ['psql', '--version'], command: ['bash', at('psql.sh')] },
  { name: 'node pg', command: [process.execPath, at('node-pg.mjs')] },
  pythonTool('psycopg 2', 'psycopg2'),
  pythonTool('psycopg 3', 'psycopg'),
  pythonTool('asyncpg', 'asyncpg'),
  pythonTool('SQLAlchemy', 'sqlalchemy'),
  pythonTool('pandas', 'pandas'),
  pythonTool('Django', 'django'),
  pythonTool('ODBC (pyodbc)', 'pyodbc'),
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
  goTool('Go by HTTP', 'api'),
  rustTool('Rust tokio-postgres', 'tokio-postgres'),
  rustTool('Rust sqlx', 'sqlx'),
  rustTool('Rust by HTTP', 'api'),
  javaTool('JDBC', 'Jdbc'),
  javaTool('R2DBC', 'R2dbc'),
  javaTool('Hibernate', 'HibernateOrm'),
  javaTool('jOOQ', 'Jooq'),
  javaTool('Java by HTTP', 'Api'),
  nodeTool('postgres.js', 'postgres-js'),
  nodeTool('Sequelize', 'sequelize'),
  nodeTool('TypeORM', 'typeorm'),
  { name: 'Prisma', command: [], missing: 'its engines come from outside the registry' },
  nodeTool('Drizzle', 'drizzle'),
  nodeTool('Kysely', 'kysely'),
  nodeTool('Knex', 'knex'),
  nodeTool("Cube's postgres driver", 'cube'),
  ...['Metabase', 'Grafana', 'Power BI', 'Tableau', 'DuckDB', 'DBeaver', 'people'].map((name) => ({
    name: `${name}, by statements alone`,
    command: [process.execPath, at('byStatements.mjs'), name.toLowerCase().replace(' ', '-')],
  })),
]
