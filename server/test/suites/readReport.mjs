const plain = (/** @type {string} */ xml) =>
  xml
    .replaceAll(/&#10;|\s+/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/**
 * How each test of pytest's report failed; one that has parts fails with the first of them. `nameOf` has the name of a
 * test's file or class as its first group.
 * @param {string} xml @param {RegExp} nameOf
 */
export function readReport(xml, nameOf) {
  /** @type {Map<string, string>} */
  const cases = new Map()
  for (const [, where = '', name = '', inside = ''] of xml.matchAll(
    /<testcase classname="([^"]+)" name="([^"]+)"[^>]*?(?:\/>|>([^]*?)<\/testcase>)/g,
  )) {
    if (inside.includes('<skipped')) continue
    const id = `${nameOf.exec(where)?.[1]}::${plain(name)}`
    const message = /<(?:failure|error) message="([^"]*)"/.exec(inside)?.[1]
    cases.set(id, cases.get(id) || (message === undefined ? '' : plain(message).slice(0, 300)))
  }
  return cases
}
