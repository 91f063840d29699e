/** Whether a request's `Accept-Encoding` allows a coding, such as `gzip`. */
export const acceptsCoding = (header: string | undefined, coding: string): boolean =>
  (header ?? '').split(',').some((each) => {
    const [name, ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })
