/**
 * @typedef {object} Answer what the proxy says instead of the service
 * @property {number} status
 * @property {Record<string, string>} [headers]
 * @property {string} body
 */

/**
 * @typedef {object} Fault
 * @property {string} name
 * @property {(payloads: any[]) => Answer | undefined} [answer] undefined lets the request through to the service
 * @property {number} [delayMs] the service gets the request that much later
 * @property {number} [holdMs] the service gets the request at once, the page its answer never: the line is cut after this
 * @property {number} [awayMs] nobody gets the request, preflights neither: the line is cut after this
 * @property {boolean} [anyOrigin] answers `Access-Control-Allow-Origin: *`, so no credentialed request is welcome
 */

const json = { 'Content-Type': 'application/json' }

/** @returns {Fault} */
export const unavailable = () => ({
  name: '503',
  answer: () => ({ status: 503, headers: json, body: '{"ok":false,"error_code":null}' }),
})

/** @param {number} seconds @returns {Fault} */
export const tooMany = (seconds) => ({
  name: '429',
  answer: () => ({ status: 429, headers: { ...json, 'Retry-After': String(seconds) }, body: '{"ok":false}' }),
})

/** What a captive portal or a misrouted load balancer says. @returns {Fault} */
export const garbage = () => ({
  name: 'garbage',
  answer: () => ({
    status: 200,
    headers: { 'Content-Type': 'text/html' },
    body: '<!doctype html><title>Welcome</title><p>Please sign in to the network.',
  }),
})

/** @returns {Fault} */
export const notOk = () => ({
  name: 'ok false',
  answer: () => ({ status: 200, headers: json, body: '{"ok":false,"task_id":null,"error_code":null}' }),
})

/** @param {number} holdMs @returns {Fault} */
export const hang = (holdMs) => ({ name: 'hang', holdMs })

/** A network that swallows what it is given, before it says so. @param {number} awayMs @returns {Fault} */
export const away = (awayMs) => ({ name: 'away', awayMs })

/** @param {number} delayMs @returns {Fault} */
export const delay = (delayMs) => ({ name: 'delay', delayMs })

/** @returns {Fault} */
export const anyOrigin = () => ({ name: 'any origin', anyOrigin: true })

/** Refuses every array that holds a payload with the property `poison`, as the service refuses a bad name. @returns {Fault} */
export const refusePoison = () => ({
  name: 'bad payload',
  answer: (payloads) =>
    payloads.some(({ properties }) => properties?.poison)
      ? {
          status: 400,
          headers: json,
          body: '{"ok":false,"task_id":null,"error_code":"property-name-too-long"}',
        }
      : undefined,
})
