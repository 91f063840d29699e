import { inject, track as trackEvent } from '@vercel/analytics'

export const start = (endpoint) => inject({ scriptSrc: `${endpoint}/script.js`, mode: 'production' })
export const track = (name, properties) => trackEvent(name, properties)
