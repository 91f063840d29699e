import { bodyReader } from '../http/readJson.js'
import { refuse } from '../http/HttpError.js'
import { shorten } from '../json/shorten.js'
import type { PersonId } from './personRows.js'

export const exportPath = '/persons/export'
export const erasePath = '/persons/erase'

const maxBodyBytes = 65_536

/** Reads which person a request is about. */
export const readAskedPerson = bodyReader<PersonId>(
  {
    type: 'object',
    required: ['environment', 'id'],
    properties: { environment: { type: 'string', minLength: 1 }, id: { type: 'string', minLength: 1 } },
    additionalProperties: false,
  },
  maxBodyBytes,
)

export const personNotFound = ({ environment, id }: PersonId) =>
  refuse(
    404,
    'person-not-found',
    `Nobody in the environment ${shorten(environment, 100)} has the id ${shorten(id, 200)}. Persons that were erased are in the view privacy_log.`,
  )
