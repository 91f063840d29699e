/* The control of the burst, after bench/delivery/bareQueue.js: stores and sends as much as waymark, and does nothing else. */
let add
window.peer = {
  start: (endpoint) =>
    new Promise((resolve, reject) => {
      const ids = {
        distinct_id: 'anonymous-V1StGXR8_Z5jdHi6B-myT',
        device_id: 'device-V1StGXR8_Z5jdHi6B-myT',
      }
      const always = { $lib: 'bare', $url: location.origin + location.pathname, $viewport: '1280x720' }
      const request = indexedDB.open('bare', 1)
      request.onupgradeneeded = () => request.result.createObjectStore('events')
      request.onerror = () => reject(request.error)
      request.onsuccess = () => {
        add = window.bareQueue(`${endpoint}/w/track`, request.result, { ids, always })
        resolve()
      }
    }),
  track: (name, properties) => add(name, properties),
}
