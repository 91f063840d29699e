import { bodyReader, parseWhole, shapeChecker } from '../http/readJson.js'
import { type Route, answerPath } from '../http/Route.js'
import { parametersReader, type QueryRequest, querySchema } from '../sql/QueryRequest.js'
import { rowsByGet, rowsByPost, type RowsOptions } from '../sql/queryRoutes.js'
import { refuseField } from '../sql/refuse.js'
import type { Ask } from './Answer.js'
import { readAsk, statementOf } from './answers.js'

const maxBodyBytes = 1_048_576

/** What the answer itself decides. */
const decided: readonly string[] = ['statement', 'dialect', 'catalog', 'schema', 'sanitize']
/** The fields of a query that `POST /answer` takes beside the parameters of the answer. */
export const queryFields = Object.fromEntries(
  Object.entries(querySchema.properties).filter(([name]) => !decided.includes(name)),
)

type Fields = Partial<Omit<QueryRequest, 'statement'>>

const askProperties = { name: { type: 'string' }, dry: { type: 'boolean' } }
const checkAsk = shapeChecker({ type: 'object', required: ['name'], properties: askProperties })
const readBody = bodyReader<Ask & Fields & { dry?: boolean }>(
  { type: 'object', required: ['name'], properties: { ...queryFields, ...askProperties } },
  maxBodyBytes,
)
const readAddress = parametersReader<Fields & { ask: string }>(
  { ...queryFields, ask: { type: 'string' } },
  'ask',
)

/** The query that answers. Days begin for DuckDB where they begin for the answer. */
const requestOf = (ask: Ask, { timezone, ...rest }: Fields): QueryRequest => {
  const asked = readAsk(ask, timezone)
  const zone = asked.given['timezone'] ?? timezone
  return { ...rest, statement: statementOf(asked), ...(zone !== undefined && { timezone: zone as string }) }
}

/** Parts a body into the answer's parameters and the fields of the query. `timezone` is both, where the answer has days. */
const readPosted = ({ dry = false, ...body }: Ask & Fields & { dry?: boolean }) => {
  const entries = Object.entries(body)
  const isField = ([name]: [string, unknown]) => Object.hasOwn(queryFields, name)
  const ofQuery = Object.fromEntries(entries.filter(isField)) as Fields
  const ask = Object.fromEntries(entries.filter((each) => !isField(each))) as Ask
  return { dry, ask, ofQuery }
}

const onlyReads = refuseField('An answer only reads.')

/**
 * `POST /answer` answers a question that has a name as `/query` answers its statement, or tells the statement. `GET
 * /answer?ask=…` is for programs that can only fetch a URL.
 */
export const answerRoutes = (options: RowsOptions): Route[] => {
  const [answer, answerFile] = [rowsByPost(options), rowsByGet(options)]
  const post: Route = {
    method: 'POST',
    path: answerPath,
    async handle(exchange) {
      const { dry, ask, ofQuery } = readPosted(await readBody(exchange.request))
      const request = requestOf(ask, ofQuery)
      if (dry) return { status: 200, body: { statement: request.statement } }
      return answer(exchange, request, onlyReads)
    },
  }
  const get = (method: 'GET' | 'HEAD'): Route => ({
    method,
    path: answerPath,
    async handle(exchange) {
      const { ask: text, ...ofQuery } = readAddress(exchange.search)
      const { value } = parseWhole(Buffer.from(text), 'ask')
      checkAsk(value)
      return answerFile(exchange, requestOf(value as Ask, ofQuery), onlyReads)
    },
  })
  return [post, get('GET'), get('HEAD')]
}
