import { quoteText } from '../duckdb/quote.js'

/*
 * Which channel brings a session. The lists are our own, sorted, of November 2026. A host also stands for the hosts
 * below it (`m.facebook.com`), and `google.*` for all of Google's countries. Hosts without a site are apps of Android,
 * which send `android-app://com.slack` as the referrer.
 */

const assistants = {
  sources: ['chatgpt', 'claude', 'copilot', 'gemini', 'openai', 'perplexity'],
  hosts: [
    'chat.deepseek.com',
    'chat.mistral.ai',
    'chat.openai.com',
    'chat.qwen.ai',
    'chatgpt.com',
    'claude.ai',
    'copilot.microsoft.com',
    'deepseek.com',
    'doubao.com',
    'gemini.google.com',
    'grok.com',
    'kimi.com',
    'meta.ai',
    'notebooklm.google.com',
    'perplexity.ai',
    'phind.com',
    'poe.com',
    'you.com',
  ],
}

const mail = {
  sources: ['email', 'mail', 'newsletter'],
  hosts: [
    'com.google.android.gm',
    'com.microsoft.office.outlook',
    'e.mail.ru',
    'mail.aol.com',
    'mail.google.com',
    'mail.proton.me',
    'mail.yahoo.com',
    'mail.yandex.ru',
    'mail.zoho.com',
    'outlook.live.com',
    'outlook.office.com',
    'outlook.office365.com',
  ],
}

const social = {
  sources: [
    'bluesky',
    'discord',
    'facebook',
    'fb',
    'ig',
    'instagram',
    'linkedin',
    'mastodon',
    'meta',
    'pinterest',
    'reddit',
    'snapchat',
    'telegram',
    'threads',
    'tiktok',
    'twitter',
    'whatsapp',
    'x',
    'youtube',
  ],
  hosts: [
    'bsky.app',
    'com.facebook.katana',
    'com.instagram.android',
    'com.linkedin.android',
    'com.reddit.frontpage',
    'com.twitter.android',
    'discord.com',
    'douyin.com',
    'facebook.com',
    'instagram.com',
    'lemmy.world',
    'linkedin.com',
    'lnkd.in',
    'mastodon.online',
    'mastodon.social',
    'news.ycombinator.com',
    'ok.ru',
    'pin.it',
    'pinterest.*',
    'quora.com',
    'reddit.com',
    'snapchat.com',
    't.co',
    't.me',
    'telegram.org',
    'threads.com',
    'threads.net',
    'tiktok.com',
    'tumblr.com',
    'twitter.com',
    'vk.com',
    'weibo.com',
    'whatsapp.com',
    'x.com',
    'xiaohongshu.com',
    'xing.com',
    'youtu.be',
    'youtube.com',
    'zhihu.com',
  ],
}

const search = {
  sources: ['baidu', 'bing', 'duckduckgo', 'ecosia', 'google', 'yahoo', 'yandex'],
  hosts: [
    'aol.com',
    'ask.com',
    'baidu.com',
    'bing.com',
    'com.google.android.googlequicksearchbox',
    'duckduckgo.com',
    'ecosia.org',
    'google.*',
    'kagi.com',
    'metager.de',
    'mojeek.com',
    'naver.com',
    'qwant.com',
    'search.brave.com',
    'seznam.cz',
    'sogou.com',
    'startpage.com',
    'swisscows.com',
    'yahoo.*',
    'yandex.*',
  ],
}

/** Networks that add their id to clicks on advertisements alone. Facebook's `fbclid` is on all of its links. */
const paidClickIds = ['dclid', 'gclid', 'li_fat_id', 'msclkid', 'ttclid', 'twclid']

interface Known {
  /** What `utm_source` may say. */
  sources: readonly string[]
  hosts: readonly string[]
}

const escaped = (text: string) => text.replaceAll('.', String.raw`\.`)

/** Whether a text is a host, or one of `names`. A list by IN is a join for DuckDB, which it runs also where nobody asks. */
const isHostOf = (text: string, { hosts }: Known, names: readonly string[] = []): string => {
  const patterns = hosts.map((host) =>
    escaped(host).replace(String.raw`\.*`, String.raw`(?:\.[a-z]{2,3}){1,2}`),
  )
  const host = String.raw`(?:.*\.)?(?:${patterns.join('|')})(?::\d+)?`
  return `regexp_matches(${text}, ${quoteText(`^(?:${[...names.map(escaped), host].join('|')})$`)})`
}

/** The columns of a session that say where it comes from. */
interface Origin {
  source: string
  medium: string
  campaign: string
  clickId: string
  referrer: string
  referrerHost: string
}

/**
 * The SQL of a session's channel. Rules go from the surest to the weakest sign, and a medium, which somebody has chosen,
 * comes before a host.
 */
export const channelSql = (origin: Origin): string => {
  const [source, medium] = [`lower(${origin.source})`, `lower(${origin.medium})`]
  const host = `lower(${origin.referrerHost})`
  const from = (known: Known) => `${isHostOf(source, known, known.sources)} OR ${isHostOf(host, known)}`
  const rules = [
    [
      'paid',
      `regexp_matches(${medium}, '^(?:paid.*|cp[acmv]|ppc|display|banner|retargeting|remarketing)$')
        OR regexp_matches(${origin.clickId}, '^(?:${paidClickIds.join('|')})$')`,
    ],
    ['mail', `regexp_matches(${medium}, '^(?:e-?mail|newsletter)$')`],
    ['social', `regexp_matches(${medium}, '^(?:social.*|sm)$')`],
    ['AI assistant', from(assistants)],
    ['search', `${medium} = 'organic'`],
    ['mail', from(mail)],
    ['social', from(social)],
    ['search', from(search)],
    [
      'referral',
      `coalesce(${origin.source}, ${origin.medium}, ${origin.campaign}, ${origin.referrer}) IS NOT NULL`,
    ],
  ] as const
  const nothing = `coalesce(${Object.values(origin).join(', ')}) IS NULL`
  // As a rule there is nothing, and then no pattern need be tried.
  return `CASE WHEN ${nothing} THEN 'direct'
    ${rules.map(([name, when]) => `WHEN ${when} THEN ${quoteText(name)}`).join('\n    ')} ELSE 'direct' END`
}
