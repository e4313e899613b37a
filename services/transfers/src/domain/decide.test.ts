import { conditionOf } from '@causeway/fspiop'
import type { AbortReason } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import {
  decideFulfil as decideFulfilBy,
  decideMovementQuery,
  decidePrepare,
  decideQuery,
  decideReject,
  type Fulfil,
  type PayeeDecision,
  type Prepare,
  type Reject,
} from './decide.ts'
import type { Aborted, Claimed, Committed, Transfer } from './transfer.ts'

const fulfilment = Buffer.alloc(32, 1).toString('base64url')

const claimed: Claimed = {
  transferId: 'a-transfer',
  payerFsp: 'mangobank',
  payeeFsp: 'riverwallet',
  amount: 125_000n,
  currency: 'USD',
  expiresAt: '2026-01-01T00:01:00.000Z',
  condition: conditionOf(fulfilment),
  requestHash: 'hash of the request',
  allocation: { settlementModelId: 1, settles: 'NET' },
  payerVersion: '1.1',
  prepareEventId: 'first prepare',
  receivedAt: '2026-01-01T00:00:00.000Z',
  bulkTransferId: undefined,
}

const received: Transfer = { ...claimed, state: 'RECEIVED' }
const reserved: Transfer = { ...claimed, state: 'RESERVED' }
const committed: Claimed & Committed = {
  ...claimed,
  state: 'COMMITTED',
  fulfilment,
  completedTimestamp: '2026-01-01T00:00:05.000Z',
  outcomeEventId: 'first fulfil',
  outcomeHash: 'hash of the fulfil',
  payeeVersion: '1.1',
  extensionList: undefined,
}

function aborted(reason: AbortReason, outcomeHash?: string): Claimed & Aborted {
  return {
    ...claimed,
    state: 'ABORTED',
    reason,
    error: { errorCode: '3100', errorDescription: `because of ${reason}` },
    completedTimestamp: '2026-01-01T00:00:05.000Z',
    outcomeEventId: outcomeHash === undefined ? undefined : 'first fulfil',
    outcomeHash,
    payeeVersion: undefined,
    extensionList: undefined,
  }
}

const prepare: Prepare = {
  eventId: 'another prepare',
  transferId: 'a-transfer',
  payerFsp: 'mangobank',
  payloadHash: 'hash of the request',
}

const fulfil: Fulfil = {
  kind: 'FULFIL',
  eventId: 'another fulfil',
  transferId: 'a-transfer',
  requesterFspId: 'riverwallet',
  destinationFspId: 'mangobank',
  transferState: 'COMMITTED',
  fulfilment,
  notifyPayee: false,
  payloadHash: 'hash of the fulfil',
  receivedAt: '2026-01-01T00:00:04.000Z',
  version: '1.1',
}
const reservedFulfil: Fulfil = { ...fulfil, transferState: 'RESERVED', notifyPayee: true }

const reject: Reject = {
  kind: 'REJECT',
  eventId: 'another reject',
  transferId: 'a-transfer',
  requesterFspId: 'riverwallet',
  destinationFspId: 'mangobank',
  errorInformation: { errorCode: '5104', errorDescription: 'Payee rejected transaction' },
  payloadHash: 'hash of the reject',
  receivedAt: '2026-01-01T00:00:04.000Z',
  version: '1.1',
}

const abortedByReject = aborted('REJECTED', 'hash of the reject')
const shownAborted = expect.objectContaining({ transferState: 'ABORTED' }) as unknown

const strict = { misdirectedAborts: false }

function decideFulfil(transfer: Transfer | undefined, message: Fulfil, rules = strict) {
  return decideFulfilBy(transfer, message, rules)
}

describe('a prepare whose id is stored', () => {
  const redelivered = { ...prepare, eventId: 'first prepare' }

  test.each([reserved, committed, aborted('TIMEOUT'), aborted('COVER_SHORT')])(
    'A redelivered prepare of a finished transfer has no answer ($state)',
    (transfer) => {
      expect(decidePrepare(transfer, redelivered)).toEqual({ type: 'silence' })
    },
  )

  test('A prepare continues where it stopped, delivered again or posted again', () => {
    expect(decidePrepare(received, redelivered)).toEqual({ type: 'continue' })
    expect(decidePrepare(received, prepare)).toEqual({ type: 'continue' })
  })

  test('A prepare posted again while reserved is ignored: its callback will come', () => {
    expect(decidePrepare(reserved, prepare)).toEqual({ type: 'silence' })
  })

  test('A prepare posted again after the commit is answered with the stored fulfilment', () => {
    expect(decidePrepare(committed, prepare)).toEqual({
      type: 'answer',
      legRole: 'PAYER',
      notices: ['PUT'],
      shows: {
        transferState: 'COMMITTED',
        completedTimestamp: committed.completedTimestamp,
        fulfilment,
      },
      error: undefined,
    })
  })

  test('A prepare posted again after the abort is answered with the stored error', () => {
    const transfer = aborted('COVER_SHORT')
    expect(decidePrepare(transfer, prepare)).toEqual({
      type: 'answer',
      legRole: 'PAYER',
      notices: ['ERROR'],
      shows: shownAborted,
      error: transfer.error,
    })
  })

  test.each([received, reserved, committed, aborted('TIMEOUT')])(
    'A prepare with other content is refused in any state ($state)',
    (transfer) => {
      expect(decidePrepare(transfer, { ...prepare, payloadHash: 'other' })).toEqual({
        type: 'refuse',
      })
    },
  )

  test('A prepare of another payer is refused even if the hashes agree', () => {
    expect(decidePrepare(committed, { ...prepare, payerFsp: 'stranger' })).toEqual({
      type: 'refuse',
    })
  })
})

describe('a fulfil', () => {
  test('A fulfil of an unknown transfer is refused with 3208', () => {
    expect(decideFulfil(undefined, fulfil)).toMatchObject({
      type: 'answer',
      legRole: 'REQUESTER',
      notices: ['ERROR'],
      shows: undefined,
      error: 'ID_UNKNOWN',
    })
  })

  test.each([received, reserved, committed, aborted('TIMEOUT')])(
    'A fulfil of another FSP is refused and gets no information ($state)',
    (transfer) => {
      expect(decideFulfil(transfer, { ...fulfil, requesterFspId: 'stranger' })).toMatchObject({
        legRole: 'REQUESTER',
        notices: ['ERROR'],
        shows: undefined,
        error: 'SENDER_NOT_PAYEE',
      })
    },
  )

  test('A fulfil for another FSP than the payer is refused and leaves the transfer alone', () => {
    expect(decideFulfil(reserved, { ...fulfil, destinationFspId: 'stranger' })).toMatchObject({
      type: 'answer',
      shows: undefined,
      error: 'DESTINATION_NOT_PAYER',
    })
  })

  test('A fulfil completes an unfinished reservation first', () => {
    expect(decideFulfil(received, fulfil)).toEqual({ type: 'continue' })
  })

  test('The right fulfilment posts, with COMMITTED or RESERVED', () => {
    expect(decideFulfil(reserved, fulfil)).toEqual({ type: 'post' })
    expect(decideFulfil(reserved, reservedFulfil)).toEqual({ type: 'post' })
  })

  test('A fulfil with RESERVED in version 1.0 does not commit', () => {
    expect(decideFulfil(reserved, { ...reservedFulfil, version: '1.0' })).toMatchObject({
      type: 'answer',
      error: 'RESERVED_IN_VERSION_1_0',
    })
  })

  test.each([undefined, Buffer.alloc(32, 2).toString('base64url'), 'short'])(
    'A fulfil with the wrong fulfilment %s releases the reservation',
    (wrong) => {
      expect(decideFulfil(reserved, { ...fulfil, fulfilment: wrong })).toEqual({
        type: 'release',
        reason: 'INVALID_FULFILMENT',
      })
    },
  )

  test('A fulfil delivered again after it ended the transfer is not answered', () => {
    expect(decideFulfil(committed, { ...fulfil, eventId: 'first fulfil' })).toEqual({
      type: 'silence',
    })
  })

  test('A fulfil sent again after the commit is answered with PUT, or PATCH when RESERVED was used', () => {
    const again = { type: 'answer', legRole: 'PAYEE', error: undefined }
    expect(decideFulfil(committed, fulfil)).toMatchObject({ ...again, notices: ['PUT'] })
    expect(decideFulfil(committed, reservedFulfil)).toMatchObject({ ...again, notices: ['PATCH'] })
  })

  test('A fulfil sent again after it was found invalid gets its error again, or a PATCH', () => {
    const transfer = aborted('INVALID_FULFILMENT', 'hash of the fulfil')
    expect(decideFulfil(transfer, fulfil)).toMatchObject({
      notices: ['ERROR'],
      error: transfer.error,
    })
    expect(decideFulfil(transfer, reservedFulfil)).toMatchObject({
      notices: ['PATCH'],
      shows: shownAborted,
      error: undefined,
    })
  })

  test('A fulfil with other content after the end gets 3106 and nothing else', () => {
    const other = { ...fulfil, payloadHash: 'other' }
    for (const transfer of [committed, abortedByReject]) {
      expect(decideFulfil(transfer, other)).toMatchObject({
        notices: ['ERROR'],
        shows: undefined,
        error: 'CONTENT_MODIFIED',
      })
    }
  })

  test.each(['TIMEOUT', 'EXPIRED'] as const)(
    'A fulfil after %s is answered as too late',
    (reason) => {
      expect(decideFulfil(aborted(reason), fulfil)).toMatchObject({
        notices: ['ERROR'],
        error: 'TOO_LATE',
      })
      expect(decideFulfil(aborted(reason), reservedFulfil)).toMatchObject({
        notices: ['ERROR', 'PATCH'],
        shows: shownAborted,
        error: 'TOO_LATE',
      })
    },
  )

  test('A fulfil after a refused reservation is answered that nothing is reserved', () => {
    expect(decideFulfil(aborted('PAYEE_INACTIVE'), fulfil)).toMatchObject({
      notices: ['ERROR'],
      error: 'NOT_RESERVED',
    })
  })
})

describe('a misdirected fulfil where misdirected fulfils abort', () => {
  const stolen = { ...fulfil, requesterFspId: 'stranger' }
  const astray = { ...fulfil, destinationFspId: 'stranger' }
  const decide = (transfer: Transfer, message: Fulfil): PayeeDecision =>
    decideFulfil(transfer, message, { misdirectedAborts: true })

  test.each([stolen, astray])(
    'A misdirected fulfil releases a reservation, and completes an unfinished one first',
    (one) => {
      expect(decide(reserved, one)).toEqual({ type: 'release', reason: 'MISDIRECTED_FULFIL' })
      expect(decide(received, one)).toEqual({ type: 'continue' })
    },
  )

  test('A misdirected fulfil changes no final transfer', () => {
    for (const transfer of [committed, aborted('TIMEOUT')]) {
      expect(decide(transfer, stolen)).toMatchObject({
        shows: undefined,
        error: 'SENDER_NOT_PAYEE',
      })
      expect(decide(transfer, astray)).toMatchObject({ error: 'DESTINATION_NOT_PAYER' })
    }
  })

  test('A misdirected fulfil is answered by the abort alone, and one of another FSP by a refusal as well', () => {
    const transfer = { ...aborted('MISDIRECTED_FULFIL'), outcomeEventId: fulfil.eventId }
    expect(decide(transfer, astray)).toEqual({ type: 'silence' })
    expect(decide(transfer, stolen)).toMatchObject({ error: 'SENDER_NOT_PAYEE' })
  })
})

describe('a reject', () => {
  test('A reject of an unknown transfer or of another FSP is refused', () => {
    expect(decideReject(undefined, reject)).toMatchObject({ error: 'ID_UNKNOWN' })
    expect(decideReject(reserved, { ...reject, requesterFspId: 'stranger' })).toMatchObject({
      error: 'SENDER_NOT_PAYEE',
    })
  })

  test('A reject releases a reservation, and completes an unfinished one first', () => {
    expect(decideReject(reserved, reject)).toEqual({ type: 'release', reason: 'REJECTED' })
    expect(decideReject(received, reject)).toEqual({ type: 'continue' })
  })

  test('A reject after the commit only raises an alarm', () => {
    expect(decideReject(committed, reject)).toEqual({ type: 'alarm' })
  })

  test('A repeated reject gets its own error, another one 3106, a late one 3303', () => {
    expect(decideReject(abortedByReject, reject)).toMatchObject({
      notices: ['ERROR'],
      error: abortedByReject.error,
    })
    expect(decideReject(abortedByReject, { ...reject, payloadHash: 'other' })).toMatchObject({
      error: 'CONTENT_MODIFIED',
    })
    expect(decideReject(aborted('TIMEOUT'), reject)).toMatchObject({
      notices: ['ERROR'],
      error: 'TOO_LATE',
    })
  })
})

describe('a query', () => {
  test.each([received, reserved])(
    'A query shows payer and payee the state alone ($state)',
    (transfer) => {
      const { state } = transfer
      for (const [asker, legRole] of [
        ['mangobank', 'PAYER'],
        ['riverwallet', 'PAYEE'],
      ] as const) {
        expect(decideQuery(transfer, asker)).toEqual({
          type: 'answer',
          legRole,
          notices: ['PUT'],
          shows: { transferState: state },
          error: undefined,
        })
      }
    },
  )

  test('A query shows why a transfer was aborted, as a state, not as an error', () => {
    const transfer = aborted('TIMEOUT')
    expect(decideQuery(transfer, 'mangobank')).toMatchObject({
      notices: ['PUT'],
      shows: { transferState: 'ABORTED', cause: transfer.error },
      error: undefined,
    })
  })

  test('A query of another FSP learns nothing', () => {
    expect(decideQuery(committed, 'stranger')).toMatchObject({
      notices: ['ERROR'],
      shows: undefined,
      error: 'ASKER_NOT_PARTY',
    })
  })

  test.each([
    ['RESERVED', 'RESERVED'],
    ['POSTED', 'COMMITTED'],
    ['VOIDED', 'ABORTED'],
    ['REFUSED', 'ABORTED'],
  ] as const)(
    'A query for a movement of the ledger that is %s returns %s',
    (outcome, transferState) => {
      const participants = ['Hub', 'mangobank']
      const movement = { outcome, participants, completedAt: undefined }
      expect(decideMovementQuery(movement, 'mangobank')).toMatchObject({
        notices: ['PUT'],
        shows: { transferState },
      })
      expect(decideMovementQuery(movement, 'riverwallet')).toMatchObject({
        notices: ['ERROR'],
        shows: undefined,
        error: 'ASKER_NOT_PARTY',
      })
    },
  )

  test('A query for an unknown transfer gets 3208', () => {
    expect(decideMovementQuery(undefined, 'mangobank')).toMatchObject({ error: 'ID_UNKNOWN' })
  })
})
