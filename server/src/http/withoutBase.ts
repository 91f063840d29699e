/** The address without the prefix that a proxy has left on it. */
export const withoutBase = (url: string, basePath: string): string => {
  if (basePath === '' || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url
}
