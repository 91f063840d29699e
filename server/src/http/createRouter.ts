import type { Route } from './Route.js'

export interface Match {
  route: Route
  parameters: string[]
}

export interface Router {
  /** The route, or the methods that this path has, or undefined when the path is unknown. */
  find(method: string, path: string): Match | { allow: string[] } | undefined
}

interface Pattern {
  expression: RegExp
  route: Route
}

export const createRouter = (routes: readonly Route[]): Router => {
  const exact = new Map<string, Route>()
  const patterns: Pattern[] = []
  for (const route of routes) {
    if (!route.path.includes('{')) exact.set(`${route.method} ${route.path}`, route)
    else {
      const source = route.path.replaceAll(/\{[^}]+\}/g, '([^/]+)')
      patterns.push({ expression: new RegExp(`^${source}$`), route })
    }
  }

  const methodsOf = (path: string) => [
    ...routes.filter((route) => route.path === path).map((route) => route.method),
    ...patterns.filter(({ expression }) => expression.test(path)).map(({ route }) => route.method),
  ]

  return {
    find(method, path) {
      const route = exact.get(`${method} ${path}`)
      if (route !== undefined) return { route, parameters: [] }
      for (const pattern of patterns) {
        const found = pattern.route.method === method ? pattern.expression.exec(path) : null
        if (found) return { route: pattern.route, parameters: found.slice(1) }
      }
      const allow = methodsOf(path)
      return allow.length > 0 ? { allow } : undefined
    },
  }
}
