import { render } from 'preact'
import { findLogin } from './data/login'
import { App } from './shell/App'
import { listenToLinks } from './address/location'

const root = document.getElementById('app')
if (!root) throw new Error('The document has no element #app.')
listenToLinks()
void findLogin()
render(<App />, root)
