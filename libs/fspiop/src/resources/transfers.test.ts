import { describe, expect, test } from '@jest/globals'
import { patchTransfers, postTransfers, putTransfers, putTransfersAnswer } from './transfers.ts'

const fulfilment = 'UNlJ98hZTY_dsw0cAqw4i_UN3v4utt7CZFB4yfLbVFA'
const completedTimestamp = '2030-01-01T00:00:00.000Z'

describe('POST /transfers', () => {
  test('POST /transfers is accepted with a ULID as its id', () => {
    const body = {
      transferId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      payeeFsp: 'payeefsp',
      payerFsp: 'payerfsp',
      amount: { currency: 'USD', amount: '0' },
      ilpPacket: 'AQ==',
      condition: fulfilment,
      expiration: completedTimestamp,
    }
    expect(postTransfers.parse(body)).toEqual(body)
  })
})

describe('PUT /transfers/{ID}', () => {
  test.each(['COMMITTED', 'committed', 'Committed', 'RESERVED', 'reserved'])(
    'PUT /transfers/{ID} is accepted with the state %s and gives it in upper case',
    (transferState) => {
      expect(putTransfers.parse({ fulfilment, completedTimestamp, transferState })).toEqual({
        fulfilment,
        completedTimestamp,
        transferState: transferState.toUpperCase(),
      })
    },
  )

  test('The state SETTLED of PUT /transfers/{ID} is COMMITTED when a hub sends it, and refused from an FSP', () => {
    const settled = { completedTimestamp, transferState: 'SETTLED' }
    const committed = { completedTimestamp, transferState: 'COMMITTED' }
    expect(putTransfersAnswer.parse(settled)).toEqual(committed)
    expect(patchTransfers.parse(settled)).toEqual(committed)
    expect(putTransfers.safeParse({ fulfilment, ...settled }).success).toBe(false)
  })

  test('PUT /transfers/{ID} without fulfilment is well formed: the hub aborts the transfer for it', () => {
    expect(putTransfers.safeParse({ transferState: 'COMMITTED' }).success).toBe(true)
  })

  test.each([
    'ABORTED',
    'aborted',
    'RECEIVED',
    'SETTLED',
    'settled',
    'DONE',
    '',
    ' COMMITTED',
    'reſerved',
    5,
    null,
  ])('PUT /transfers/{ID} is refused with the state %p', (transferState) => {
    expect(putTransfers.safeParse({ fulfilment, transferState }).success).toBe(false)
  })

  test('PUT /transfers/{ID} is refused without a state or with a fulfilment that is not 32 bytes', () => {
    expect(putTransfers.safeParse({ fulfilment }).success).toBe(false)
    const short = { fulfilment: fulfilment.slice(1), transferState: 'COMMITTED' }
    expect(putTransfers.safeParse(short).success).toBe(false)
  })

  test('PUT /transfers/{ID} as an answer may be in every state', () => {
    for (const transferState of ['RECEIVED', 'RESERVED', 'COMMITTED', 'ABORTED'] as const) {
      expect(putTransfersAnswer.parse({ transferState })).toEqual({ transferState })
    }
  })
})

test('PATCH /transfers/{ID} tells how it ended and when', () => {
  const body = { completedTimestamp, transferState: 'ABORTED' }
  expect(patchTransfers.parse(body)).toEqual(body)
  expect(patchTransfers.safeParse({ transferState: 'COMMITTED' }).success).toBe(false)
  expect(patchTransfers.safeParse({ ...body, transferState: 'RESERVED' }).success).toBe(false)
})
