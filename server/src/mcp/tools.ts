import { shorten } from '../http/HttpError.js'
import { refuseField } from '../sql/refuse.js'
import type { Ask, Asked } from '../answers/Answer.js'
import { type Parameter, scope } from '../answers/Parameter.js'
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

/** A figure that is agreed on, with what answers it at any time. */
export interface Metric {
  name: string
  definition: string
  owner: string
  since: string
  answer: Ask
}

/** The rows of this are metrics: see `readMetric`. */
export const metricsStatement =
  'SELECT name, definition, owner, since, answer FROM analytics.metrics ORDER BY name'

export const readMetric = ([name, definition, owner, since, answer]: readonly unknown[]): Metric => ({
  name: String(name),
  definition: String(definition),
  owner: String(owner),
  since: String(since),
  answer: (typeof answer === 'string' ? JSON.parse(answer) : answer) as Ask,
})

/** `Sign-ups`, `sign ups` and `signups` are one name. */
const bare = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** @throws HttpError that names all there are */
export const findMetric = (metrics: readonly Metric[], name: string): Metric => {
  const found =
    metrics.find((each) => each.name === name) ?? metrics.find((each) => bare(each.name) === bare(name))
  if (found !== undefined) return found
  const known = metrics.map((each) => each.name).join(', ') || 'none'
  throw refuseField(`There is no certified metric ${JSON.stringify(shorten(name))}; there are: ${known}.`)
}

interface Tool {
  name: string
  description: string
  /** The JSON schema of what it takes. */
  schema: object
  /** The statement of DuckDB's SQL that answers; of a tool for metrics, that of the metric that was found. */
  statement(given: Given, metric?: Metric): string
  /** The name of the metric that it is asked for. */
  metric?(given: Given): string
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

const listMetrics: Tool = {
  name: 'list_metrics',
  description: 'The certified metrics, with their definitions: look here first, before you count yourself.',
  schema: { type: 'object', properties: { limit }, additionalProperties: false },
  statement: () => 'SELECT name, definition, owner, since FROM analytics.metrics ORDER BY name',
}

/** A figure of values may be about one person, where nothing is left out of it. */
const isOfAll = ({ answer, given }: Asked) =>
  answer.isForGuests === true &&
  Object.entries(answer.parameters).every(([name, { refuse }]) => !refuse?.(given[name] as never, false)) &&
  (answer.name !== 'explore' || given['by'] === null)

const metricTool = (seesPersons: boolean): Tool => ({
  name: 'metric',
  description: 'A certified metric by its name: the figure that is agreed on.',
  schema: {
    type: 'object',
    required: ['name'],
    properties: {
      name: {
        type: 'string',
        maxLength: 120,
        description: 'As list_metrics has it; case and hyphens do not matter.',
      },
      ...Object.fromEntries(['from', 'until'].map((each) => [each, propertyOf(scope[each as 'from'])])),
      time_zone: { type: 'string', default: 'UTC' },
      limit,
    },
    additionalProperties: false,
  },
  metric: (given) => (given as { name: string }).name,
  statement({ limit: _rows, time_zone: timezone, ...values }, metric) {
    const { name: _name, ...time } = values as { name: string }
    const asked = readAsk({ ...metric!.answer, ...time }, timezone)
    if (!seesPersons && !isOfAll(asked))
      throw refuseField('This metric tells values apart: it needs a token for persons.')
    return statementOf(asked, seesPersons ? undefined : fewestPeople)
  },
})

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

/** The tools of a token: with persons those with segments, and SQL. What is agreed on comes first. */
export const toolsOf = (seesPersons: boolean): Tool[] => [
  listMetrics,
  metricTool(seesPersons),
  ...Object.entries(answerNames).map((each) => toolOf(each, seesPersons)),
  ...(seesPersons ? [sqlTool] : []),
]
