import { startBasketPage } from './basketPage.js'
import { startHeader } from './header.js'
import { startJoin } from './join.js'
import { startMap } from './map.js'
import { startMaps } from './maps.js'
import { tell } from './tell.js'
import { startThanks } from './thanks.js'
import { startTour } from '../tour.js'

const starts = {
  maps: startMaps,
  map: startMap,
  basket: startBasketPage,
  join: startJoin,
  thanks: startThanks,
}
const { page } = document.body.dataset

if (page !== 'live') tell('page', { page })
startTour()
startHeader()
starts[page]?.()
