import { DuckDBInstance, VARCHAR } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { channelSql } from '../../src/schema/channels.js'
import { hostOf } from '../../src/schema/derivedColumns.js'

const connection = await (await DuckDBInstance.create()).connect()
const sql = channelSql({
  source: '$source',
  medium: '$medium',
  campaign: '$campaign',
  clickId: '$clickId',
  referrer: '$referrer',
  referrerHost: hostOf('$referrer'),
})

interface Given {
  source?: string
  medium?: string
  campaign?: string
  clickId?: string
  referrer?: string
}

const channelOf = async ({ source, medium, campaign, clickId, referrer }: Given) => {
  const values = { source, medium, campaign, clickId, referrer }
  const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? null]))
  const types = Object.fromEntries(Object.keys(given).map((name) => [name, VARCHAR]))
  const reader = await connection.runAndReadAll(`SELECT ${sql}`, given, types)
  return reader.getRows()[0]?.[0]
}

it.each<[string, Given]>([
  ['direct', {}],

  ['paid', { medium: 'cpc', source: 'google' }],
  ['paid', { medium: 'paid_social', source: 'facebook' }],
  ['paid', { medium: 'PPC' }],
  ['paid', { medium: 'display' }],
  ['paid', { clickId: 'gclid', referrer: 'https://www.google.com/' }],
  ['paid', { clickId: 'msclkid' }],
  ['social', { clickId: 'fbclid', referrer: 'https://l.facebook.com/' }],
  ['referral', { medium: 'cpcx', source: 'somewhere' }],

  ['mail', { medium: 'email', source: 'spring' }],
  ['mail', { medium: 'E-Mail' }],
  ['mail', { source: 'newsletter' }],
  ['mail', { referrer: 'https://mail.google.com/mail/u/0/' }],
  ['mail', { referrer: 'android-app://com.google.android.gm/' }],
  ['mail', { medium: 'email', referrer: 'https://www.google.com/' }],

  ['AI assistant', { source: 'chatgpt.com' }],
  ['AI assistant', { source: 'Perplexity' }],
  ['AI assistant', { referrer: 'https://chatgpt.com/' }],
  ['AI assistant', { referrer: 'https://www.perplexity.ai/search?q=1' }],
  ['AI assistant', { referrer: 'https://gemini.google.com/app' }],
  ['AI assistant', { referrer: 'https://copilot.microsoft.com/' }],

  ['social', { medium: 'social', source: 'ünï-📣' }],
  ['social', { medium: 'social-network' }],
  ['social', { source: 'Facebook' }],
  ['social', { source: 'ig' }],
  ['social', { referrer: 'https://m.facebook.com/story' }],
  ['social', { referrer: 'https://t.co/abc' }],
  ['social', { referrer: 'https://www.pinterest.co.uk/pin/1' }],
  ['social', { referrer: 'https://news.ycombinator.com/item?id=1' }],
  ['referral', { referrer: 'https://ycombinator.com/' }],
  ['referral', { referrer: 'https://notreddit.com/' }],
  ['referral', { referrer: 'https://reddit.com.example/' }],
  ['referral', { referrer: 'https://shop-t.co/' }],

  ['search', { medium: 'organic', source: 'somewhere' }],
  ['search', { source: 'google' }],
  ['search', { referrer: 'https://www.google.com/' }],
  ['search', { referrer: 'https://www.google.co.uk/' }],
  ['search', { referrer: 'https://GOOGLE.de:443/' }],
  ['search', { referrer: 'https://duckduckgo.com/' }],
  ['search', { referrer: 'https://search.yahoo.co.jp/search' }],
  ['search', { referrer: 'https://yandex.ru/' }],
  ['search', { referrer: 'android-app://com.google.android.googlequicksearchbox/' }],
  ['referral', { referrer: 'https://google.evil.example/' }],
  ['referral', { referrer: 'https://bing.example/' }],

  ['referral', { referrer: 'https://blog.example/post' }],
  ['referral', { referrer: 'http://localhost:8080/' }],
  ['referral', { referrer: 'android-app:mail' }],
  ['referral', { campaign: 'spring' }],
  ['referral', { source: 'partner', medium: 'affiliate' }],
  ['referral', { medium: 'qr' }],
])('is %s for %j', async (channel, given) => {
  expect(await channelOf(given)).toBe(channel)
})
