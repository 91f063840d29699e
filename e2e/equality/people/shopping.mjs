/** @typedef {import('./createPlan.mjs').Plan} Plan */

export const paths = /** @type {const} */ (['/', '/pricing', '/blog', '/docs', '/%F0%9F%9B%92'])

const campaigns = [
  { source: 'news', medium: 'email', campaign: 'spring' },
  { source: 'search', medium: 'cpc', campaign: 'brand' },
  { source: 'search', medium: 'cpc' },
  { source: 'ünï-📣', medium: 'social', campaign: 'a b+c&d' },
]

/** How a person comes to the site. @param {Plan} plan */
export const arrival = ({ random }) => {
  const kind = random.whole(0, 3)
  return kind === 0 ? {} : kind === 1 ? { fromNews: true } : { utm: random.pick(campaigns) }
}

/** @param {Plan} plan @returns {import('../types').Call} */
export const search = ({ random }) => [
  'track',
  'Searched',
  { words: random.pick(['tea', 'Tee', '茶', '🍵']) },
]

/** @param {Plan} plan @returns {import('../types').Call} */
export const order = ({ random }) => [
  'track',
  'Order Placed',
  { plan: random.pick(['free', 'pro', 'team']), price: random.whole(1, 400) / 4 },
]

/** @type {import('../types').Call} */
export const signUp = ['track', 'Signed Up', { from: 'form' }]

/** Follows links, and searches now and then. @param {Plan} plan @param {{ link(path: string): void, call(...calls: import('../types').Call[]): void }} page */
export function browse(plan, page, most = 3) {
  for (let left = plan.random.whole(1, most); left > 0; left--) {
    page.link(plan.random.pick(paths))
    if (plan.random.chance()) page.call(search(plan))
  }
}

/** @param {Plan} plan @returns {Record<string, unknown>} */
export const traits = ({ random, id }) => ({
  name: `${random.pick(['Ada 👩‍🚀', 'Zoë', '田中', 'O’Neil', 'Łukasz'])} ${id}`,
  level: random.whole(1, 9),
})
