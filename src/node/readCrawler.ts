import { knownBots } from '../plugins/knownBots'

/** Programs that read pages for a language model, or for somebody who asks one, under names that tell no bot. */
const aiAgents =
  /(?:ChatGPT|Claude|Perplexity|MistralAI)-User|anthropic-ai|Google-(?:Extended|CloudVertexBot)|Applebot|meta-external|cohere-ai/i

const ownName = /[\w.-]*(?:bot|crawler|spider)[\w.-]*/i

/** The name of a crawler by its user agent; undefined for a person's browser. */
export const readCrawler = (userAgent: string): string | undefined => {
  const named = (aiAgents.exec(userAgent) ?? knownBots.exec(userAgent))?.[0]
  return named && (aiAgents.test(userAgent) ? named : (ownName.exec(userAgent)?.[0] ?? named)).toLowerCase()
}
