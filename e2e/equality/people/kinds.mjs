/**
 * What kinds of devices people have: what their browsers say of themselves, and what the service must read out of that
 * (docs/sql.md, "What there is").
 * @typedef {object} Kind
 * @property {string} userAgent
 * @property {string} languages the header `Accept-Language`
 * @property {string} timeZone
 * @property {number} width of its window
 * @property {{ browser: string, os: string, device: string, language: string, country: string, screenClass: string }} is
 */

/** @type {Record<string, Kind>} */
const kinds = {
  phone: {
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    languages: 'de-AT,de;q=0.9,en;q=0.8',
    timeZone: 'Europe/Vienna',
    width: 390,
    is: {
      browser: 'Safari',
      os: 'iOS',
      device: 'phone',
      language: 'de-AT',
      country: 'AT',
      screenClass: 'phone',
    },
  },
  tablet: {
    userAgent:
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Safari/537.36',
    languages: 'es-419,es',
    timeZone: 'America/Argentina/Buenos_Aires',
    width: 800,
    is: {
      browser: 'Samsung Internet',
      os: 'Android',
      device: 'tablet',
      language: 'es-419',
      country: 'AR',
      screenClass: 'tablet',
    },
  },
  laptop: {
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
    languages: 'en-us',
    timeZone: 'America/Chicago',
    width: 1440,
    is: {
      browser: 'Edge',
      os: 'Windows',
      device: 'desktop',
      language: 'en-US',
      country: 'US',
      screenClass: 'desktop',
    },
  },
  desk: {
    userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0',
    languages: 'fr;q=0.9',
    timeZone: 'Asia/Kolkata',
    width: 1920,
    is: {
      browser: 'Firefox',
      os: 'macOS',
      device: 'desktop',
      language: 'fr',
      country: 'IN',
      screenClass: 'desktop',
    },
  },
}

/** What kind a device is: the phone of the seventh person is `p07/phone`; a crawler says that it is one. @param {string} device its id */
export function kindOf(device) {
  const name = device.split('/')[1] ?? ''
  const kind = kinds[name === 'robot' ? 'desk' : name]
  if (!kind) throw new Error(`There is no kind of device ${name}`)
  return name === 'robot'
    ? { ...kind, userAgent: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)' }
    : kind
}
