// A clock of the page's own: it begins at `?now=` of the address, goes on, and is moved ahead by hand.
const now = Number(new URLSearchParams(location.search).get('now'))
const began = performance.now()
let ahead = 0
const readClock = () => Math.round(now + ahead + performance.now() - began)
if (now)
  window.Date = class extends Date {
    static now = readClock
    constructor(...given) {
      super(...(given.length ? given : [readClock()]))
    }
  }
window.forward = (ms) => void (ahead += ms)
