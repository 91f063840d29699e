/**
 * What an element has from the platform under a name; a method is called. A form's own fields, such as one called
 * `matches`, hide its members; and prototype.js and MooTools put an `Element` of their own in the place of the browser's.
 */
export function readMember(element: Element, name: 'attributes'): NamedNodeMap
export function readMember(element: Element, name: 'matches', selector: string): boolean
export function readMember(element: Element, name: 'getAttribute', attribute: string): string | null
export function readMember(element: Element, name: keyof Element, ...given: string[]): unknown {
  const member: unknown = Reflect.get(HTMLElement.prototype, name, element)
  return typeof member === 'function' ? Reflect.apply(member, element, given) : member
}
