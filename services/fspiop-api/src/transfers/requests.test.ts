import { conditionOf } from '@causeway/fspiop'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Incoming } from '../chain.ts'
import { transferRoutes } from './requests.ts'

const transferId = '7d7ff5c4-8b1c-4b0f-9c7f-2f0de1f0b8a1'
const routes = transferRoutes({
  onUsAllowed: false,
  timestampBounds: undefined,
  ignoresWhatCannotCommit: false,
  refusesOnUsLater: false,
  routesByPayee: false,
})

function incoming(body: string): Incoming {
  return {
    parameters: { ID: transferId },
    source: 'greenbank',
    destination: 'bluewallet',
    version: '1.1',
    headers: {},
    body: Buffer.from(body),
    receivedAt: '2026-11-21T10:00:00.000Z',
    target: '',
    encrypted: [],
    kid: undefined,
    compatibility: 'specification',
    decimals: undefined,
    relayedHeaders: new Set<string>(),
  }
}

function prepareOf(amount: string): string {
  const condition = conditionOf(Buffer.alloc(32, 7).toString('base64url'))
  const expiration = '2026-11-21T10:01:00.000Z'
  const parties = { payerFsp: 'greenbank', payeeFsp: 'bluewallet' }
  const money = { amount, currency: 'USD' }
  return JSON.stringify({
    transferId,
    ...parties,
    amount: money,
    ilpPacket: 'A',
    condition,
    expiration,
  })
}

describe('POST /transfers', () => {
  const integer = fc.oneof(
    fc.constantFrom('0', '1', '9'.repeat(18)),
    fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }).map(String),
  )
  const fraction = fc.oneof(fc.constantFrom('', '.9999', '.0001'), fc.constantFrom('.5', '.25'))
  const amounts = fc
    .tuple(integer, fraction)
    .map((parts) => parts.join(''))
    .filter((amount) => amount !== '0')

  test('An amount is stored as it was written, and the bytes are unchanged', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        const message = incoming(prepareOf(amount))
        const reading = routes['POST /transfers']?.read(message)
        if (reading?.type !== 'PUBLISH') throw new Error(`${amount} is refused`)
        expect(reading.event.payload).toMatchObject({ amount: { amount, currency: 'USD' } })
        expect(reading.event.headers['relay-body']).toBe(message.body)
      }),
    )
  })
})

describe('PUT /transfers/{ID}', () => {
  test.each([
    ['9999-12-31T23:59:59.999-11:00', '9999-12-31T23:59:59.999Z'],
    ['1000-01-01T00:00:00.000+14:00', '1000-01-01T00:00:00.000Z'],
    ['2026-11-21T12:00:00.000+02:00', '2026-11-21T10:00:00.000Z'],
  ])('A completedTimestamp %s is passed on as the legal DateTime %s', (written, utc) => {
    const fulfilment = Buffer.alloc(32, 7).toString('base64url')
    const body = { transferState: 'COMMITTED', fulfilment, completedTimestamp: written }
    const reading = routes['PUT /transfers/{ID}']?.read(incoming(JSON.stringify(body)))
    if (reading?.type !== 'PUBLISH') throw new Error(`${written} is refused`)
    expect(reading.event.payload).toMatchObject({ completedTimestamp: utc })
  })
})
