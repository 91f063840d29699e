// In the journey through prerendered pages nobody drives the browser: the server tells the page where to go.
if (location.pathname === '/')
  void fetch('/next').then(async (answer) => location.assign(await answer.text()))
