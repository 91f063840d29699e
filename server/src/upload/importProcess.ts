import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { HttpError } from '../http/HttpError.js'
import { goBehind, endWithParent, limitSelf } from '../link/ownLimits.js'
import { reasonOf } from '../OperatorError.js'
import { attach } from '../duckdb/Database.js'
import { quoteText } from '../duckdb/quote.js'
import { stageFile, type FromImporter, spillFolder, stagedTable, type ToImport } from './stageFile.js'
import { quotedCopy } from './readRecords.js'

/**
 * The process that reads one file of a client, and then ends: a file may break DuckDB in ways that take everything
 * with it. The rows go into a file of DuckDB's own, which the engine reads. This process can read and write the files
 * of its upload alone.
 */

/** Queries go first; the engine's own processes have nice 10. */
const nice = 15

const stageCatalog = 'stage'

const open = async (): Promise<DuckDBConnection> => {
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  })
  return instance.connect()
}

const importFile = async (connection: DuckDBConnection, task: ToImport): Promise<FromImporter> => {
  const { file, stage, memoryLimit, threads } = task
  await attach(connection, stageCatalog, stage)
  for (const setting of [
    "TimeZone = 'UTC'",
    `memory_limit = ${quoteText(memoryLimit)}`,
    `threads = ${threads}`,
    `temp_directory = ${quoteText(spillFolder(file))}`,
    `allowed_paths = [${[file, quotedCopy(file)].map(quoteText).join(', ')}]`,
    // It knows a file by its time, which is too coarse for one whose description is changed between two looks.
    'enable_external_file_cache = false',
    'enable_external_access = false',
    'lock_configuration = true',
  ]) {
    await connection.run(`SET GLOBAL ${setting}`)
  }
  try {
    const staged = await stageFile(connection, stagedTable(stageCatalog), task)
    // All of it is in the file then, nothing in its log, and the engine may open it.
    await connection.run(`CHECKPOINT ${stageCatalog}`)
    await connection.run(`DETACH ${stageCatalog}`)
    return { kind: 'staged', staged }
  } catch (error) {
    if (!(error instanceof HttpError)) return { kind: 'failed', reason: reasonOf(error) }
    const { status, code, message, headers } = error
    return { kind: 'refused', status, code, message, headers }
  }
}

endWithParent()
goBehind(nice)
const connection = await open()
process.once('message', (task: ToImport) => {
  limitSelf(task)
  const end = (answer: FromImporter) => process.send!(answer, () => process.kill(process.pid, 'SIGKILL'))
  importFile(connection, task).then(end, (error: unknown) => end({ kind: 'failed', reason: reasonOf(error) }))
})
process.send!('ready')
