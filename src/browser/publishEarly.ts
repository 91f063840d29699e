import type { Command } from './readTag'

/** Makes `window.waymark` an array whose `push` writes down when and where each call was made. */
export function publishEarly() {
  const page = window as { waymark?: Command[] | object }
  // The real object is there already.
  if (page.waymark && !Array.isArray(page.waymark)) return
  const commands = (page.waymark ??= []) as Command[]
  const push = commands.push.bind(commands)
  commands.push = (...calls) =>
    push(
      ...calls.map((call) =>
        Object.assign(call, { calledAt: Date.now(), url: location.href, referrer: document.referrer }),
      ),
    )
}
