export { csvLine } from './csv.ts'
export {
  deliveryOf,
  openDeliveryStore,
  type CallbackDelivery,
  type DeliveryRow,
  type DeliveryStore,
} from './delivery-store.ts'
export { erasePage, ofNone, type ErasedPage } from './erase-store.ts'
export {
  beforeTime,
  foundIn,
  nextText,
  ofFspConditions,
  pageStatement,
  placeIn,
  scanned_usual,
  type FoundPage,
  type Place,
  type WalkSearch,
  type WalkedRow,
} from './walk-store.ts'
export { boundedPage, isId, isTime, readCursor, writeCursor, type Members } from './page.ts'
