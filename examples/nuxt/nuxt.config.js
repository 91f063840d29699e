const to = 'http://127.0.0.1:8787/w'

export default defineNuxtConfig({
  telemetry: false,
  app: { head: { title: 'Nuxt', link: [{ rel: 'icon', href: 'data:,' }] } },
  routeRules: Object.fromEntries(
    ['track', 'identify', 'alias', 'ids'].map((call) => [`/w/${call}`, { proxy: { to: `${to}/${call}` } }]),
  ),
})
