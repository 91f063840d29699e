// Runs before the script tag has loaded: makes `window.waymark` an array whose `push` writes down when and where each
// call was made, so that what the page calls meanwhile keeps its time and its URL.

const page = window as unknown as { waymark?: object[] }
const commands = (page.waymark ??= [])
// When the library was faster, the real object is there already and is left alone.
if (Array.isArray(commands)) {
  const push = commands.push.bind(commands)
  commands.push = (...calls) =>
    push(
      ...calls.map((call) =>
        Object.assign(call, { calledAt: +new Date(), url: location.href, referrer: document.referrer }),
      ),
    )
}
