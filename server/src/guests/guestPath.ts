export const guestPath = '/guest'
/** For the ingest process alone: who may show the page of a link in a frame. */
export const framesPath = '/guest/frames/'
/** How many letters of the token's hash stand in the address of a link. */
export const idLength = 16
