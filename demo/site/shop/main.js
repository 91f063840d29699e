import { startBasketPage } from './basketPage.js'
import { startHeader } from './header.js'
import { startJoin } from './join.js'
import { startMap } from './map.js'
import { startMaps } from './maps.js'
import { tell } from './tell.js'

const starts = { maps: startMaps, map: startMap, basket: startBasketPage, join: startJoin }
const { page } = document.body.dataset

if (page !== 'live') tell('page', { page })
startHeader()
starts[page]?.()
