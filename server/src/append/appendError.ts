import type { WriteError } from '../http/HttpError.js'

const contractCodes: Readonly<Record<string, string>> = {
  'invalid-data': 'invalid-data',
  'invalid-json': 'invalid-data',
  'unknown-target': 'invalid-data',
  'incompatible-schema': 'incompatible-schema',
}

/** The form of errors of `/append`. */
export const appendError: WriteError = ({ code, message }) => ({
  ok: false,
  task_id: null,
  error_code: contractCodes[code] ?? null,
  error: code,
  error_message: message,
  message,
})
