import type { DomainEvent, EventName, Payload, Relay } from '@causeway/events'
import { describe, expect, test } from '@jest/globals'
import type { Callback } from '../callbacks/callback.ts'
import { transferCallbacks, type TransferCallbackEvent } from './callbacks.ts'

const transferId = '7d7ff5c4-8b1c-4b0f-9c7f-2f0de1f0b8a1'
const rules = { notifyPayeeOnTimeout: true }
const relay: Relay = { body: Buffer.from('{ }'), headers: Buffer.from('{"date":"x"}') }
const errorInformation = { errorCode: '3303', errorDescription: 'Transfer expired' }
const completedTimestamp = '2026-11-21T10:00:00.000Z'
const fulfilment = 'UNlJ98hZTY_dsw0cAqw4i_UN3v4utt7CZFB4yfLbVFA'
const sides = { transferId, payerFsp: 'greenbank', payeeFsp: 'bluewallet', payerVersion: '1.0' }
const refusal = { transferId, requesterFspId: 'greenbank', version: '1.0', errorInformation }

function event<Name extends EventName>(
  name: Name,
  payload: Payload<Name>,
  carried?: Relay,
): DomainEvent<Name> {
  return {
    name,
    id: 'e',
    time: completedTimestamp,
    payload,
    relay: carried,
    maybeDuplicate: false,
    traceparent: undefined,
  }
}

function callbacks(received: TransferCallbackEvent, how = rules): readonly string[] {
  return transferCallbacks(received, how).map(
    ({ fspId, operation, path }) => `${fspId}: ${operation} ${path}`,
  )
}

function contentsOf(received: TransferCallbackEvent, how = rules): readonly Callback['content'][] {
  return transferCallbacks(received, how).map(({ content }) => content)
}

function only(received: TransferCallbackEvent): Callback {
  const [callback, ...others] = transferCallbacks(received, rules)
  if (callback === undefined || others.length > 0) throw new Error('not one leg')
  return callback
}

const prepared = event(
  'TransferPrepared',
  {
    transferId,
    payerFsp: 'greenbank',
    payeeFsp: 'bluewallet',
    amount: { currency: 'USD', amount: '99' },
    expiration: '2026-11-21T10:01:00.000Z',
    condition: 'c',
    settlementModelId: 1,
    preparedAt: completedTimestamp,
    payerPosition: {
      participantId: 'greenbank',
      accountId: 3,
      currency: 'USD',
      value: '99',
      reservedValue: '99',
      changedAt: completedTimestamp,
    },
  },
  relay,
)

function committed(changed: Partial<Payload<'TransferCommittedFulfiled'>> = {}, carried?: Relay) {
  return event(
    'TransferCommittedFulfiled',
    {
      ...sides,
      payeeVersion: '1.1',
      amount: { currency: 'USD', amount: '99' },
      fulfilment,
      completedTimestamp,
      settlementModelId: 1,
      settles: 'NET',
      notifyPayee: false,
      receivedAt: completedTimestamp,
      fulfiledAt: completedTimestamp,
      positions: [],
      ...changed,
    },
    carried,
  )
}

function rejected(changed: Partial<Payload<'TransferRejectRequestProcessed'>>, carried?: Relay) {
  return event(
    'TransferRejectRequestProcessed',
    {
      ...sides,
      errorInformation: {
        errorCode: '3100',
        errorDescription: 'Generic validation error - invalid fulfilment',
      },
      payeeNotice: 'NONE',
      completedTimestamp,
      ...changed,
    },
    carried,
  )
}

describe('Prepared transfers', () => {
  test("A prepared transfer is sent to the payee FSP in the payer FSP's own bytes, until the transfer expires", () => {
    expect(only(prepared)).toMatchObject({
      fspId: 'bluewallet',
      role: 'PAYEE',
      method: 'POST',
      operation: 'POST /transfers',
      keepsDestination: true,
      content: { type: 'RELAYED', relay },
      deadline: '2026-11-21T10:01:00.000Z',
    })
  })

  test('A prepared transfer without those bytes throws instead of sending an empty message', () => {
    expect(() => transferCallbacks({ ...prepared, relay: undefined }, rules)).toThrow(transferId)
  })
})

describe('Committed transfers', () => {
  test("A committed transfer is sent to the payer FSP in the payee FSP's own bytes", () => {
    const callback = only(committed({}, relay))
    expect(callback.content).toEqual({ type: 'RELAYED', relay })
    expect(callback.deadline).toBeUndefined()
    expect(callbacks(committed({}, relay))).toEqual([
      `greenbank: PUT /transfers/{ID} /transfers/${transferId}`,
    ])
  })

  test("Without those bytes the hub sends the fulfilment, in the payer FSP's version and without the transfer id", () => {
    const extensionList = { extension: [{ key: 'k', value: 'v' }] }
    expect(only(committed({ extensionList })).content).toEqual({
      type: 'CREATED',
      version: '1.0',
      body: { fulfilment, completedTimestamp, transferState: 'COMMITTED', extensionList },
    })
  })

  test('A payee FSP that waits for the commit receives PATCH, and the payer FSP a message of the hub', () => {
    const received = committed({ notifyPayee: true }, relay)
    expect(callbacks(received)).toEqual([
      `greenbank: PUT /transfers/{ID} /transfers/${transferId}`,
      `bluewallet: PATCH /transfers/{ID} /transfers/${transferId}`,
    ])
    const [toPayer, toPayee] = transferCallbacks(received, rules)
    expect(toPayer?.content.type).toBe('CREATED')
    expect(toPayee?.content).toEqual({
      type: 'CREATED',
      version: '1.1',
      body: { completedTimestamp, transferState: 'COMMITTED' },
    })
  })
})

describe('Rejected transfers', () => {
  test("A rejection is sent to the payer FSP in the payee FSP's own bytes", () => {
    expect(only(rejected({}, relay))).toMatchObject({
      fspId: 'greenbank',
      path: `/transfers/${transferId}/error`,
      content: { type: 'RELAYED', relay },
    })
  })

  test('A rejection by the hub is sent to both FSPs when the payee FSP does not know of it', () => {
    const received = rejected({ payeeNotice: 'ERROR', payeeVersion: '1.0' })
    expect(callbacks(received)).toEqual([
      `greenbank: PUT /transfers/{ID}/error /transfers/${transferId}/error`,
      `bluewallet: PUT /transfers/{ID}/error /transfers/${transferId}/error`,
    ])
    expect(transferCallbacks(received, rules)[1]?.content).toMatchObject({ version: '1.0' })
  })

  test('A payee FSP that waits for the commit receives PATCH with ABORTED and its cause', () => {
    const [, toPayee] = transferCallbacks(
      rejected({ payeeNotice: 'PATCH', payeeVersion: '1.1' }),
      rules,
    )
    const value = '3100: Generic validation error - invalid fulfilment'
    expect(toPayee?.content).toEqual({
      type: 'CREATED',
      version: '1.1',
      body: {
        completedTimestamp,
        transferState: 'ABORTED',
        extensionList: { extension: [{ key: 'cause', value }] },
      },
    })
  })
})

describe('Expired transfers', () => {
  const timedOut = event('TransferFulfilComitRequestTimedout', { ...sides, errorInformation })

  test('The expiry of a transfer is sent to both FSPs, or to the payer FSP alone', () => {
    const error = 'PUT /transfers/{ID}/error'
    expect(callbacks(timedOut)).toEqual([
      `greenbank: ${error} /transfers/${transferId}/error`,
      `bluewallet: ${error} /transfers/${transferId}/error`,
    ])
    expect(callbacks(timedOut, { notifyPayeeOnTimeout: false })).toEqual([
      `greenbank: ${error} /transfers/${transferId}/error`,
    ])
  })

  test.each(['1.0', '1.1'])(
    'A payee FSP that has not answered receives the expiry in the version of its request: %s',
    (version) => {
      const received = event('TransferFulfilComitRequestTimedout', {
        ...timedOut.payload,
        payerVersion: version,
      })
      const content = { type: 'CREATED', version, body: { errorInformation } }
      expect(contentsOf(received)).toEqual([content, content])
    },
  )

  test('A payee FSP whose answer arrived after the expiry receives an error in its version, under any rules', () => {
    const received = event('TransferFulfilComitRequestTimedout', {
      ...timedOut.payload,
      payerVersion: '1.1',
      payeeAnswer: { version: '1.0', notices: ['ERROR'], completedTimestamp },
    })
    const body = { errorInformation }
    for (const notifyPayeeOnTimeout of [true, false]) {
      expect(contentsOf(received, { notifyPayeeOnTimeout })).toEqual([
        { type: 'CREATED', version: '1.1', body },
        { type: 'CREATED', version: '1.0', body },
      ])
    }
  })

  test('A payee FSP that sent RESERVED after the expiry receives an error and PATCH with ABORTED', () => {
    const received = event('TransferFulfilComitRequestTimedout', {
      ...timedOut.payload,
      payeeAnswer: { version: '1.1', notices: ['ERROR', 'PATCH'], completedTimestamp },
    })
    expect(callbacks(received)).toEqual([
      `greenbank: PUT /transfers/{ID}/error /transfers/${transferId}/error`,
      `bluewallet: PUT /transfers/{ID}/error /transfers/${transferId}/error`,
      `bluewallet: PATCH /transfers/{ID} /transfers/${transferId}`,
    ])
    expect(contentsOf(received)[2]).toEqual({
      type: 'CREATED',
      version: '1.1',
      body: {
        completedTimestamp,
        transferState: 'ABORTED',
        extensionList: { extension: [{ key: 'cause', value: '3303: Transfer expired' }] },
      },
    })
  })

  test('The expiry of a transfer that was never reserved is sent to the payer FSP only', () => {
    expect(
      only(event('TransferPrepareRequestTimedout', { ...sides, errorInformation })),
    ).toMatchObject({ fspId: 'greenbank', role: 'PAYER' })
  })
})

describe('Answers to queries for a transfer', () => {
  const question = {
    transferId,
    requesterFspId: 'bluewallet',
    legRole: 'PAYEE',
    version: '1.1',
  } as const

  test('The answer to a query has the state and the members that belong to it', () => {
    const received = event('TransferQueryResponse', {
      ...question,
      notices: ['PUT'],
      transferState: 'COMMITTED',
      completedTimestamp,
      fulfilment,
    })
    expect(only(received).content).toEqual({
      type: 'CREATED',
      version: '1.1',
      body: { fulfilment, completedTimestamp, transferState: 'COMMITTED' },
    })
  })

  test('The answer to a query is sent for each notice that it names, in their order', () => {
    const received = event('TransferQueryResponse', {
      ...question,
      notices: ['ERROR', 'PATCH'],
      transferState: 'ABORTED',
      completedTimestamp,
      errorInformation,
    })
    expect(callbacks(received)).toEqual([
      `bluewallet: PUT /transfers/{ID}/error /transfers/${transferId}/error`,
      `bluewallet: PATCH /transfers/{ID} /transfers/${transferId}`,
    ])
    const names = transferCallbacks(received, rules).map(({ name }) => name)
    expect(new Set(names).size).toBe(2)
  })
})

test.each([
  'TransferPrepareDuplicateCheckFailed',
  'TransferPrepareInvalidPayerCheckFailed',
  'TransferPrepareInvalidPayeeCheckFailed',
] as const)('%s is sent to the requester as an error', (name) => {
  expect(only(event(name, refusal) as TransferCallbackEvent)).toMatchObject({
    fspId: 'greenbank',
    operation: 'PUT /transfers/{ID}/error',
    content: { type: 'CREATED', version: '1.0', body: { errorInformation } },
  })
})
