import type { Ask } from '../answers/Answer.js'
import type { Parameter } from '../answers/Parameter.js'
import { answerOf, readAsk, statementOf } from '../answers/answers.js'

/** Without `:persons` a name, a value or a time is told only when at least this many people share it: one of a single person is about that person. */
const fewestPeople = 3

/** The answers that agents ask for, by the names of the tools. */
const answerNames = {
  list_events: 'events',
  list_properties: 'properties',
  daily: 'daily',
  funnel: 'funnel',
  retention: 'retention',
  paths: 'paths',
  breakdown: 'breakdown',
  sessions: 'sessions',
  web_vitals: 'page_vitals',
  errors: 'errors',
}

/** What every tool is told beside the parameters of its answer. */
export interface Given {
  limit?: number
  time_zone?: string
}

interface Tool {
  name: string
  description: string
  /** The JSON schema of what it takes. */
  schema: object
  /** The statement of DuckDB's SQL that answers. */
  statement(given: Given): string
}

export const usualLimit = 100
const limit = {
  type: 'integer',
  minimum: 1,
  maximum: 1000,
  default: usualLimit,
  description: 'The most rows to answer.',
}

const propertyOf = ({ about, schema, fallback }: Parameter<unknown>) => {
  const { nullable: _, enum: values, ...rest } = schema
  return {
    ...rest,
    ...(Array.isArray(values) && { enum: values.filter((each) => each !== null) }),
    ...(fallback !== undefined && fallback !== null && { default: fallback }),
    description: about,
  }
}

/** Agents write `time_zone`, as the macros do. */
const nameOf = (parameter: string) => (parameter === 'timezone' ? 'time_zone' : parameter)

const toolOf = ([name, answerName]: [string, string], seesPersons: boolean): Tool => {
  const { about, parameters } = answerOf(answerName)
  // By enough conditions a figure is about one person.
  const taken = Object.entries(parameters).filter(([each]) => seesPersons || each !== 'where')
  return {
    name,
    description: about,
    schema: {
      type: 'object',
      required: taken.flatMap(([each, { fallback }]) => (fallback === undefined ? [nameOf(each)] : [])),
      properties: {
        ...Object.fromEntries(taken.map(([each, parameter]) => [nameOf(each), propertyOf(parameter)])),
        limit,
      },
      additionalProperties: false,
    },
    statement({ limit: _rows, time_zone: timezone, ...values }) {
      const ask: Ask = { ...values, name: answerName }
      return statementOf(readAsk(ask, timezone), seesPersons ? undefined : fewestPeople)
    },
  }
}

const sqlTool: Tool = {
  name: 'sql',
  description:
    'One statement of DuckDB’s SQL that reads. The views events, sessions, page_views and persons, and the macros of the other tools, are there.',
  schema: {
    type: 'object',
    required: ['statement'],
    properties: {
      statement: { type: 'string', maxLength: 20_000 },
      time_zone: { type: 'string', default: 'UTC' },
      limit,
    },
    additionalProperties: false,
  },
  statement: (given) => (given as { statement: string }).statement,
}

/** The tools of a token: with persons those with segments, and SQL. */
export const toolsOf = (seesPersons: boolean): Tool[] => [
  ...Object.entries(answerNames).map((each) => toolOf(each, seesPersons)),
  ...(seesPersons ? [sqlTool] : []),
]
