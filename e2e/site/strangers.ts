// What old libraries put in the place of built-ins, by what their documentation says that each does.

const each = `const each = (list, fn) => { for (let at = 0; at < list.length; at++) fn(list[at], at) };`
const call = `const call = (fn, own) => fn ? fn.bind(own) : (value) => value;`

/** Names, with the code that a page runs first. */
export const strangers: Record<string, string> = {
  'nothing replaced': '',
  'prototype.js: reduce': `Array.prototype.reduce = function () { return this.length > 1 ? this : this[0] }`,
  'prototype.js: map': `${each}${call}Array.prototype.map = function (fn, own) {
    const all = []; each(this, (value, at) => all.push(call(fn, own)(value, at))); return all }`,
  'prototype.js: filter': `${each}Array.prototype.filter = function (fn, own) {
    const all = []; each(this, (value, at) => { if (fn.call(own, value, at)) all.push(value) }); return all }`,
  'prototype.js: find': `${each}Array.prototype.find = function (fn) {
    let found; try { each(this, (value, at) => { if (fn(value, at)) { found = value; throw each } }) }
    catch (error) { if (error !== each) throw error } return found }`,
  'prototype.js: some, every': `${each}
    Array.prototype.some = function (fn) { let is = false; each(this, (value, at) => { is = is || !!fn(value, at) }); return is }
    Array.prototype.every = function (fn) { let is = true; each(this, (value, at) => { is = is && !!fn(value, at) }); return is }`,
  'prototype.js: entries, values': `Array.prototype.entries = function () { return this.slice() }
    Array.prototype.toArray = Array.prototype.clone = function () { return this.slice() }`,
  'prototype.js: forEach': `${each}Array.prototype.forEach = Array.prototype.each = function (fn) { each(this, fn); return this }`,
  'prototype.js: Array.from': `Array.from = (list) => { if (!list) return []; if (list.toArray) return list.toArray()
    let { length = 0 } = list; const all = new Array(length); while (length--) all[length] = list[length]; return all }`,
  'prototype.js: Object.keys, Object.values': `
    Object.keys = (object) => { const all = []; for (const name in object) all.push(name); return all }
    Object.values = (object) => { const all = []; for (const name in object) all.push(object[name]); return all }`,
  'prototype.js: Object.assign as extend': `Object.assign = (to, from) => { for (const name in from) to[name] = from[name]; return to }`,
  'prototype.js: bind': `Function.prototype.bind = function (...given) {
    if (given.length < 2 && given[0] === undefined) return this
    const fn = this, own = given.shift(); return function (...more) { return fn.apply(own, given.concat(more)) } }`,
  'prototype.js: toJSON': `
    Array.prototype.toJSON = function () { return '[' + this.join(', ') + ']' }
    Date.prototype.toJSON = function () { return '"' + this.getUTCFullYear() + '"' }
    String.prototype.toJSON = function () { return '"' + this + '"' }
    Number.prototype.toJSON = function () { return String(this) }`,
  'prototype.js: texts': `
    String.prototype.startsWith = function (text) { return this.indexOf(text) === 0 }
    String.prototype.endsWith = function (text) { const at = this.length - text.length; return at >= 0 && this.lastIndexOf(text) === at }
    String.prototype.sub = function (pattern, text) { return this.replace(pattern, text) }
    String.prototype.times = function (count) { return count < 1 ? '' : new Array(count + 1).join(this) }
    RegExp.prototype.match = RegExp.prototype.test`,
  'prototype.js: Element': `window.Element = function (name) { return document.createElement(name) }`,
  'MooTools: flat as flatten': `Array.prototype.flat = Array.prototype.flatten = function () {
    let all = []; for (const one of this) all = all.concat(Array.isArray(one) ? one.flatten() : one); return all }`,
  'MooTools: includes as contains, include': `
    Array.prototype.contains = Array.prototype.includes = function (item, from) { return this.indexOf(item, from) !== -1 }
    Array.prototype.include = function (item) { if (!this.contains(item)) this.push(item); return this }
    String.prototype.contains = String.prototype.includes = function (text, between) {
      return between ? (between + this + between).indexOf(between + text + between) > -1 : this.indexOf(text) > -1 }`,
  'MooTools: Array.from': `Array.from = (item) => item == null ? [] : typeof item === 'object' && 'length' in item ? [].slice.call(item) : [item]`,
  'MooTools: bind with a list of arguments': `Function.prototype.bind = function (own, given) {
    const fn = this; return function () { return fn.apply(own, given === undefined ? arguments : [].concat(given)) } }`,
  'MooTools: Event': `window.Event = function (event) { return event || window.event }`,
  'at, splice, sort of an old shim': `
    Array.prototype.at = function (at) { at = Math.trunc(at) || 0; return this[at < 0 ? at + this.length : at] }
    const { splice, sort } = Array.prototype
    Array.prototype.splice = function (...given) { return splice.apply(this, given.length === 1 ? [given[0], this.length] : given) }
    Array.prototype.sort = function (by) { return sort.call(this, by) }`,
  'Object.entries, Object.fromEntries of an old shim': `
    Object.entries = (object) => { const all = []; for (const name in object) all.push([name, object[name]]); return all }
    Object.fromEntries = (list) => { const object = {}; for (const [name, value] of list) object[name] = value; return object }`,
  'Promise.finally of an old shim': `Promise.prototype.finally = function (fn) { return this.then((value) => { fn(); return value }) }`,
  'Bluebird, zone.js: a Promise of the page, without allSettled': `{ const Native = Promise
    const wrap = (inner) => Object.assign(Object.create(window.Promise.prototype), { inner })
    window.Promise = function (run) { this.inner = new Native(run) }
    Promise.prototype.then = function (done, failed) { return wrap(this.inner.then(done, failed)) }
    Promise.prototype.catch = function (failed) { return this.then(undefined, failed) }
    for (const name of ['resolve', 'reject', 'all', 'race']) Promise[name] = (value) => wrap(Native[name](value)) }`,
  'Map of the page': `window.Map = function (element) { this.element = element }`,
  'Datejs: Date.now': `Date.now = () => new Date()`,
  'no Date.now': `Date.now = undefined`,
  'no AbortController': `delete window.AbortController`,
  'Datejs: Date.parse': `const { parse } = Date; Date.parse = (text) => { const at = parse(text); return isNaN(at) ? null : new Date(at) }`,
  'Datejs: toISOString': `Date.prototype.toISOString = function () { const two = (number) => ('0' + number).slice(-2)
    return '"' + this.getUTCFullYear() + '-' + two(this.getUTCMonth() + 1) + '-' + two(this.getUTCDate()) + 'T' +
      two(this.getUTCHours()) + ':' + two(this.getUTCMinutes()) + ':' + two(this.getUTCSeconds()) + 'Z"' }`,
  'frozen built-ins': `for (const type of [Object, Array, Function, String, Date, Promise, Set, Map, Error])
    Object.freeze(type.prototype), Object.freeze(type)`,
  'sendBeacon and fetch that throw when the page goes': `const { fetch } = window
    window.fetch = function (url, init) { if (window.goes) throw new TypeError('no'); return fetch(url, init) }
    navigator.sendBeacon = () => { throw new TypeError('no') }`,
  'a fetch that reads the answer': `const { fetch } = window
    window.fetch = async (url, init) => { const answer = await fetch(url, init); await answer.text(); return answer }`,
  'images that hide what the document has': `addEventListener('DOMContentLoaded', () => {
    for (const name of ['hidden', 'URL', 'referrer', 'visibilityState']) {
      const image = document.createElement('img'); image.name = name; document.body.append(image) } })`,
  'an image that hides the script': `const image = document.createElement('img')
    image.name = 'currentScript'; document.documentElement.append(image)`,
}
strangers['prototype.js: all of it'] = Object.keys(strangers)
  .filter((name) => name.startsWith('prototype.js: '))
  .map((name) => `{ ${strangers[name]} }`)
  .join('\n')

/** What leaves nothing to work with: the page is told, and nothing is taken. */
export const hopeless: Record<string, string> = {
  'MooTools 1.2.0: another JSON': `window.JSON = { encode: String, decode: (text) => text }`,
  'a Set of the page': `window.Set = function () { this.items = [] }`,
  'a Set that makes nothing': `window.Set = { size: 5 }`,
}
