const svgNames = new Set(['svg', 'g', 'rect', 'line', 'text'])

/**
 * Makes an element; text stays text, so that nothing a visitor or a database says can become markup.
 * @param {string} name
 * @param {Record<string, string | number | boolean | undefined>} [attributes] `true` sets an empty one, `false` none
 * @param {...(Node | string | number)} children
 */
export function h(name, attributes = {}, ...children) {
  const element = svgNames.has(name)
    ? document.createElementNS('http://www.w3.org/2000/svg', name)
    : document.createElement(name)
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : String(value))
  element.append(...children.map((child) => (child instanceof Node ? child : String(child))))
  return element
}
