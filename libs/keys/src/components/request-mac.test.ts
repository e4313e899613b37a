import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { isAuthentic, requestMac, type PaymentRequest } from './request-mac.ts'

const key = createSecretKey(randomBytes(32))

const terms = {
  payerFsp: 'mangobank',
  payeeFsp: 'riverwallet',
  expiration: '2026-01-01T00:01:00.000Z',
  payloadHash: 'hash',
  receivedAt: '2026-01-01T00:00:00.000Z',
  version: '1.1',
}
const item = (transferId: string, amount = '12.5') => ({
  transferId,
  amount: { currency: 'USD', amount },
  condition: 'condition',
})
const transfer: PaymentRequest = { ...terms, ...item('t-1') }
const bulk: PaymentRequest = {
  ...terms,
  bulkTransferId: 'b-1',
  bulkQuoteId: 'q-1',
  individualTransfers: [item('t-1'), item('t-2')],
}

const refusal = {
  transferId: 't-1',
  requesterFspId: 'riverwallet',
  destinationFspId: 'mangobank',
  errorInformation: {
    errorCode: '5104',
    errorDescription: 'refused',
    extensionList: { extension: [{ key: 'why', value: 'closed' }] },
  },
  payloadHash: 'hash',
  receivedAt: '2026-01-01T00:00:00.000Z',
  version: '1.1',
}
const fulfil: PaymentRequest = {
  transferId: 't-1',
  requesterFspId: 'riverwallet',
  destinationFspId: 'mangobank',
  transferState: 'COMMITTED',
  fulfilment: 'fulfilment',
  completedTimestamp: '2026-01-01T00:00:01.000Z',
  notifyPayee: false,
  extensionList: { extension: [{ key: 'why', value: 'paid' }] },
  payloadHash: 'hash',
  receivedAt: '2026-01-01T00:00:00.000Z',
  version: '1.1',
}
const results = [
  { transferId: 't-1', fulfilment: 'fulfilment' },
  { transferId: 't-2', errorInformation: { errorCode: '5104', errorDescription: 'refused' } },
]
const bulkFulfil: PaymentRequest = {
  bulkTransferId: 'b-1',
  requesterFspId: 'riverwallet',
  destinationFspId: 'mangobank',
  bulkTransferState: 'COMPLETED',
  completedTimestamp: '2026-01-01T00:00:01.000Z',
  individualTransferResults: results,
  payloadHash: 'hash',
  receivedAt: '2026-01-01T00:00:00.000Z',
  version: '1.1',
}

const { transferId: _transferId, ...ofBulk } = refusal
const bulkRefusal = { ...ofBulk, bulkTransferId: 't-1' }
const errorOf = (changes: object) => ({
  ...refusal,
  errorInformation: { ...refusal.errorInformation, ...changes },
})

test('A refusal of a payee FSP is authentic with the code of the edge, and one of a bulk is none of a transfer', () => {
  expect(isAuthentic([key], refusal, requestMac(key, refusal))).toBe(true)
  expect(isAuthentic([key], bulkRefusal, requestMac(key, bulkRefusal))).toBe(true)
  expect(isAuthentic([key], bulkRefusal, requestMac(key, refusal))).toBe(false)
})

test('A request is authentic with either of two keys', () => {
  const next = createSecretKey(randomBytes(32))
  expect(isAuthentic([next, key], transfer, requestMac(key, transfer))).toBe(true)
  expect(isAuthentic([next, key], transfer, requestMac(next, transfer))).toBe(true)
  expect(isAuthentic([], transfer, requestMac(key, transfer))).toBe(false)
})

test('A request is authentic with the code of the edge, also with what it gets on its way', () => {
  const allocated = { ...transfer, settlementModelId: 7, settles: 'NET' }
  expect(isAuthentic([key], allocated, requestMac(key, transfer))).toBe(true)
  expect(isAuthentic([key], bulk, requestMac(key, bulk))).toBe(true)
})

const fulfils: readonly (readonly [string, PaymentRequest])[] = [
  ['fulfil', fulfil],
  ['bulk fulfil', bulkFulfil],
]

test.each(fulfils)('A %s is authentic when its event went through the log', (_what, sent) => {
  const read = JSON.parse(JSON.stringify({ ...sent, completedTimestamp: undefined })) as typeof sent
  const made = { ...sent, completedTimestamp: undefined } as unknown as typeof sent
  expect(isAuthentic([key], read, requestMac(key, made))).toBe(true)
  expect(isAuthentic([key], read, requestMac(key, sent))).toBe(false)
})

const changed: readonly (readonly [string, PaymentRequest, PaymentRequest])[] = [
  ...Object.keys(terms).map(
    (name) => [name, transfer, { ...transfer, [name]: 'another' }] as const,
  ),
  ['id', transfer, { ...transfer, transferId: 't-2' }],
  ['amount', transfer, { ...transfer, amount: { currency: 'USD', amount: '12.50' } }],
  ['currency', transfer, { ...transfer, amount: { currency: 'EUR', amount: '12.5' } }],
  ['condition', transfer, { ...transfer, condition: 'another' }],
  ...[
    'transferId',
    'requesterFspId',
    'destinationFspId',
    'payloadHash',
    'receivedAt',
    'version',
  ].map((name) => [`${name} of a refusal`, refusal, { ...refusal, [name]: 'another' }] as const),
  ['error code', refusal, errorOf({ errorCode: '5105' })],
  ['error description', refusal, errorOf({ errorDescription: 'another' })],
  ['extension of an error', refusal, errorOf({ extensionList: undefined })],
  ...Object.keys(fulfil).map(
    (name) => [`${name} of a fulfil`, fulfil, { ...fulfil, [name]: undefined }] as const,
  ),
  ...Object.keys(bulkFulfil)
    .filter((name) => name !== 'individualTransferResults')
    .map(
      (name) =>
        [`${name} of a bulk fulfil`, bulkFulfil, { ...bulkFulfil, [name]: undefined }] as const,
    ),
  ['number of results', bulkFulfil, { ...bulkFulfil, individualTransferResults: [] }],
  [
    'order of results',
    bulkFulfil,
    { ...bulkFulfil, individualTransferResults: results.toReversed() },
  ],
  ...['transferId', 'fulfilment', 'errorInformation', 'extensionList'].map(
    (name) =>
      [
        `${name} of a result`,
        bulkFulfil,
        {
          ...bulkFulfil,
          individualTransferResults: results.map((result) => ({
            ...result,
            [name]: name === 'extensionList' ? { extension: [] } : undefined,
          })),
        },
      ] as const,
  ),
  ['payee FSP of a bulk', bulk, { ...bulk, payeeFsp: 'another' }],
  ['id of a bulk', bulk, { ...bulk, bulkTransferId: 'b-2' }],
  ['number of items', bulk, { ...bulk, individualTransfers: [item('t-1')] }],
  ['amount of an item', bulk, { ...bulk, individualTransfers: [item('t-1'), item('t-2', '99')] }],
  ['order of items', bulk, { ...bulk, individualTransfers: [item('t-2'), item('t-1')] }],
]

test.each(changed)('A request with another %s is not authentic', (_what, sent, forged) => {
  expect(isAuthentic([key], forged, requestMac(key, sent))).toBe(false)
})

test('Neither another key nor a code of another length nor none makes a request authentic', () => {
  const mac = requestMac(key, transfer)
  expect(isAuthentic([createSecretKey(randomBytes(32))], transfer, mac)).toBe(false)
  expect(isAuthentic([key], transfer, mac.subarray(1))).toBe(false)
  expect(isAuthentic([key], transfer, undefined)).toBe(false)
})
