import { pageviews } from 'waymark/pageviews'
import { waymarkPlugin } from 'waymark/vue'

export default defineNuxtPlugin(({ vueApp }) => {
  vueApp.use(waymarkPlugin({ apiKey: 'pk_your_key', config: { endpoint: '/w', plugins: [pageviews()] } }))
})
