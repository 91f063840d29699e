import { inject } from '@vercel/analytics'

export const start = () => inject({ mode: 'production' })
