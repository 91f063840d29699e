import { addressOf } from './location'
import { scopeSearch } from './scopeSearch'

export const NotFound = () => (
  <p>
    There is no page at this address. <a href={addressOf('/app/', scopeSearch())}>Go to the overview.</a>
  </p>
)
