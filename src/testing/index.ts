export { createMemoryTransport, type SentPayload } from './createMemoryTransport'
export { waitForEvent, type WaitOptions } from './waitForEvent'
