import { createSecretKey, randomBytes } from 'node:crypto'
import type { OutgoingMessage } from '@causeway/bus'
import { isAuthentic, type PaymentRequest, type RequestKey } from '@causeway/keys/components'
import { expect, test } from '@jest/globals'
import { authenticatedRequests } from './authenticated-requests.ts'

const payload: PaymentRequest = {
  transferId: 't-1',
  payerFsp: 'mangobank',
  payeeFsp: 'riverwallet',
  amount: { currency: 'USD', amount: '12.5' },
  expiration: '2026-01-01T00:01:00.000Z',
  condition: 'condition',
  payloadHash: 'hash',
  receivedAt: '2026-01-01T00:00:00.000Z',
  version: '1.1',
}
const message = (type: string): OutgoingMessage => ({
  id: type,
  topic: 'fspiop-api.transfers',
  key: 't-1',
  type,
  source: 'fspiop-api',
  payload,
  headers: { 'relay-body': Buffer.from('{}') },
})
const request = message('TransferPrepareRequested')
const query = message('TransferQueryReceived')
const known: RequestKey = {
  key: createSecretKey(randomBytes(32)),
  previous: undefined,
}

function publishing(current: () => RequestKey | Promise<RequestKey>) {
  const published: OutgoingMessage[] = []
  const bus = {
    publish: (messages: readonly OutgoingMessage[]) =>
      Promise.resolve(void published.push(...messages)),
  }
  const keys = { current, reread: () => Promise.reject(new Error('not asked for')) }
  return { published, publish: authenticatedRequests(bus, keys) }
}

test.each([
  ['is known', () => known],
  ['has to be asked for', () => Promise.resolve(known)],
])(
  'A request is published with its code when the key %s; other events are not changed',
  async (_when, current) => {
    const { published, publish } = publishing(current)
    await publish([query, request])
    expect(published[0]).toBe(query)
    const mac = published[1]?.headers['relay-mac']
    expect(Buffer.isBuffer(mac) && isAuthentic([known.key], payload, mac)).toBe(true)
    expect(published[1]).toMatchObject(request)
  },
)

test('A refusal of a payee FSP is published with its code', async () => {
  const { published, publish } = publishing(() => known)
  const refusal = {
    transferId: 't-1',
    requesterFspId: 'riverwallet',
    destinationFspId: 'mangobank',
    errorInformation: { errorCode: '5104', errorDescription: 'refused' },
    payloadHash: 'hash',
    receivedAt: '2026-01-01T00:00:00.000Z',
    version: '1.1',
  }
  await publish([{ ...message('TransferRejectRequested'), payload: refusal }])
  const mac = published[0]?.headers['relay-mac']
  expect(Buffer.isBuffer(mac) && isAuthentic([known.key], refusal, mac)).toBe(true)
})

test('No request is published while the key cannot be asked for, and other events are', async () => {
  const { published, publish } = publishing(() => Promise.reject(new Error('away')))
  await expect(publish([request])).rejects.toThrow('away')
  await publish([query])
  expect(published).toEqual([query])
})
