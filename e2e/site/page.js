// The application of the journeys' pages: it moves without loading, and tells the server that it has run.
window.go = (path) => history.pushState(null, '', path)
window.wasRestored = false
addEventListener('pageshow', ({ persisted }) => (window.wasRestored = persisted))
void fetch(`/ran?path=${location.pathname}&prerendering=${Boolean(document.prerendering)}`)
