import { publishEarly } from './browser/publishEarly'

/** Runs before the script tag has loaded: what the page calls meanwhile keeps its time and its URL. */
publishEarly()
