/** The states that the API shows, each with its colour: a new one without a colour does not compile. */
import type {
  BulkQuote,
  BulkTransfer,
  FundsMovement,
  Settlement,
  SettlementWindow,
  Transfer,
} from './generated/operator-api.ts'

export type Colour = 'good' | 'bad' | 'waiting'

type Colours<State extends string> = Readonly<Record<State, Colour>>

const transferColours: Colours<Transfer['state']> = {
  RECEIVED: 'waiting',
  RESERVED: 'waiting',
  COMMITTED: 'good',
  ABORTED: 'bad',
}

const bulkTransferColours: Colours<BulkTransfer['state']> = {
  RECEIVED: 'waiting',
  PENDING: 'waiting',
  ACCEPTED: 'good',
  PROCESSING: 'waiting',
  COMPLETED: 'good',
  REJECTED: 'bad',
}

const quoteColours: Colours<BulkQuote['state']> = {
  PENDING: 'waiting',
  ACCEPTED: 'good',
  REJECTED: 'bad',
  EXPIRED: 'bad',
}

const fundsColours: Colours<FundsMovement['state']> = {
  RESERVED: 'waiting',
  COMMITTED: 'good',
  ABORTED_REJECTED: 'bad',
  EXPIRED: 'bad',
}

const windowColours: Colours<SettlementWindow['state']> = {
  OPEN: 'good',
  PROCESSING: 'waiting',
  CLOSED: 'waiting',
  PENDING_SETTLEMENT: 'waiting',
  SETTLED: 'good',
  ABORTED: 'bad',
}

const settlementColours: Colours<Settlement['state']> = {
  PENDING_SETTLEMENT: 'waiting',
  PS_TRANSFERS_RECORDED: 'waiting',
  PS_TRANSFERS_RESERVED: 'waiting',
  PS_TRANSFERS_COMMITTED: 'waiting',
  SETTLED: 'good',
  SETTLING: 'waiting',
  ABORTED: 'bad',
}

/** Of services, participants, deliveries, consents, credentials and reports. */
const otherColours: Colours<string> = {
  ACTIVE: 'good',
  READY: 'good',
  DELIVERED: 'good',
  POSTED: 'good',
  VALID: 'good',
  ISSUED: 'good',
  PASSED: 'good',
  FAILED: 'bad',
  INACTIVE: 'bad',
  LIMIT: 'bad',
  LOCKED: 'bad',
  'NOT READY': 'bad',
  REFUSED: 'bad',
  REVOKED: 'bad',
  VOIDED: 'bad',
}

const colours: Colours<string> = {
  ...otherColours,
  ...transferColours,
  ...bulkTransferColours,
  ...quoteColours,
  ...fundsColours,
  ...windowColours,
  ...settlementColours,
}

export function colourOf(state: string): Colour {
  return colours[state] ?? 'waiting'
}

/** For the filters of searches. */
export const transferStates = Object.keys(transferColours)
export const bulkTransferStates = Object.keys(bulkTransferColours)
export const bulkQuoteStates = Object.keys(quoteColours)
