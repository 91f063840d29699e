// The worker of many a progressive web application: it answers what is its own, and lets foreign requests fall through.
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', ({ request }) => {
  if (new URL(request.url).origin !== location.origin) return
})
