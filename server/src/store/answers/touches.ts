import { choice, choiceProblems, eventsOfPersons, isAsked, orderKey, personId, range } from './askedEvents.js'
import { foreignReferrer, hostOf } from '../urlParts.js'
import type { TableMacro } from './tableMacro.js'

const source = ['referrer_host', 'utm_source', 'utm_medium', 'utm_campaign'] as const

const touch = (which: 'first' | 'last'): TableMacro => {
  const pick = which === 'first' ? 'arg_min' : 'arg_max'
  const isTouch =
    '(s.referrer IS NOT NULL OR s.utm_source IS NOT NULL OR s.utm_medium IS NOT NULL OR s.utm_campaign IS NOT NULL)'
  return {
    name: `${which}_touch`,
    comment: `What brought each person here the ${which} time: a referrer from elsewhere, or a campaign.`,
    parameters: [...range, ...choice],
    columns: ['person_id', '"timestamp"', ...source],
    problems: choiceProblems,
    tables: [
      [
        'seen',
        `SELECT ${personId} AS person_id, ${orderKey} AS key, e."timestamp", e.utm_source, e.utm_medium, e.utm_campaign,
           ${foreignReferrer('e.referrer', 'e.url')} AS referrer
         FROM ${eventsOfPersons} WHERE ${isAsked} AND coalesce(e.distinct_id, e.anonymous_id) IS NOT NULL`,
      ],
      [
        'picked',
        `SELECT s.person_id, coalesce(${pick}(s, s.key) FILTER (${isTouch}), ${pick}(s, s.key)) AS s
         FROM seen s GROUP BY s.person_id`,
      ],
      [
        'answer',
        `SELECT p.person_id, p.s."timestamp", ${hostOf('p.s.referrer')} AS referrer_host, p.s.utm_source,
           p.s.utm_medium, p.s.utm_campaign FROM picked p`,
      ],
    ],
    order: '1',
  }
}

export const firstTouch = touch('first')
export const lastTouch = touch('last')
