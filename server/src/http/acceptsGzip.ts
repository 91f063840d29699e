/** What a request's `Accept-Encoding` says of gzip. */
export const acceptsGzip = (header = ''): boolean =>
  header.split(',').some((each) => {
    const [coding, ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return coding === 'gzip' && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })
