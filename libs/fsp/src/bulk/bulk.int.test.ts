/** Many payments at once, between FSPs whose messages the hub stand-in relays. */
import { errorInformation } from '@causeway/fspiop'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import {
  createFsp,
  type BulkOrder,
  type BulkProgress,
  type Fsp,
  type FspOptions,
  type PayeeOutcome,
} from '../index.ts'
import { callbackHeaders, type StandInRequest } from '../testing/hub-stand-in.ts'
import { openScheme, type Scheme } from '../testing/scheme.ts'

const acme = { type: 'BUSINESS', id: 'acme', name: 'Acme Example' } as const

let scheme: Scheme
let opened: Fsp[]

beforeEach(async () => {
  scheme = await openScheme()
  opened = []
})

afterEach(async () => {
  await Promise.all(opened.map((fsp) => fsp.close()))
  await scheme.stop()
})

function open(name: string, options: Partial<FspOptions> = {}): Fsp {
  const fsp = createFsp({
    name,
    hubUrl: scheme.hub.url,
    secret: randomBytes(32),
    resendAfter_ms: 50,
    margin_ms: 300,
    ...options,
  })
  opened.push(fsp)
  scheme.join(fsp)
  return fsp
}

/** A payee FSP with these customers. */
async function openPayee(name: string, ids: readonly string[], options: Partial<FspOptions> = {}) {
  const onLookUp: FspOptions['onLookUp'] = ({ id }) => (ids.includes(id) ? { name: id } : undefined)
  const payee = open(name, { onLookUp, ...options })
  for (const id of ids) await payee.associate({ type: 'MSISDN', id })
  return payee
}

function orderOf(ids: readonly string[], changes: Partial<BulkOrder> = {}): BulkOrder {
  return {
    payer: acme,
    payments: ids.map((id) => ({
      to: { type: 'MSISDN', id },
      amount: { currency: 'USD', amount: '10' },
    })),
    expiration: new Date(Date.now() + 10_000),
    ...changes,
  }
}

const sent = (method: string, resource: string) => (message: StandInRequest) =>
  message.method === method && message.path.startsWith(`/${resource}`)

function jsonOf(message: StandInRequest | undefined) {
  return JSON.parse(message?.body.toString() ?? '{}') as Readonly<Record<string, unknown>> & {
    readonly individualTransfers: readonly { readonly transferId: string }[]
    readonly individualTransferResults: readonly object[]
  }
}

test('Payments are grouped by payee FSP, and each group is quoted and paid in one bulk', async () => {
  await openPayee('east', ['1', '3'])
  await openPayee('west', ['2'])
  const payer = open('payerfsp')
  const reports: BulkProgress[] = []
  const onProgress = (progress: BulkProgress) => void reports.push(progress)
  const { payments, bulks } = await payer.payBulk(orderOf(['1', '2', '3'], { onProgress }))
  expect(payments.map(({ state, payeeFsp }) => [state, payeeFsp])).toEqual([
    ['COMMITTED', 'east'],
    ['COMMITTED', 'west'],
    ['COMMITTED', 'east'],
  ])
  expect(bulks.map(({ payeeFsp, state, committed }) => [payeeFsp, state, committed])).toEqual([
    ['east', 'COMPLETED', 2],
    ['west', 'COMPLETED', 1],
  ])
  const { taken } = scheme.hub
  expect(taken.filter(sent('POST', 'bulkQuotes'))).toHaveLength(2)
  const posts = taken.filter(sent('POST', 'bulkTransfers')).map(jsonOf)
  expect(posts.map(({ bulkQuoteId }) => bulkQuoteId)).toEqual(
    posts.map(({ bulkTransferId }) => {
      return bulks.find((bulk) => bulk.bulkTransferId === bulkTransferId)?.bulkQuoteId
    }),
  )
  expect(taken.some(sent('POST', 'transfers')) || taken.some(sent('POST', 'quotes'))).toBe(false)
  const none = { quoted: 0, sent: 0, committed: 0, failed: 0, unresolved: 0 }
  expect(reports[0]).toEqual({ payments: 3, lookedUp: 1, ...none })
  expect(reports).toContainEqual({ payments: 3, lookedUp: 3, ...none })
  expect(reports.map(({ sent: count }) => count)).toEqual(expect.arrayContaining([0, 3]))
  const end = { quoted: 3, sent: 3, committed: 3, failed: 0, unresolved: 0 }
  expect(reports.at(-1)).toEqual({ payments: 3, lookedUp: 3, ...end })
})

test('The progress of lookups is reported at most ten times, with every payment counted once', async () => {
  const ids = Array.from({ length: 40 }, (_, at) => `${at}`)
  await openPayee('east', ids, {
    onQuote: ({ payee }) =>
      payee.id === '7' ? { type: 'REJECT', error: errorInformation('5103') } : { type: 'AGREE' },
  })
  const payer = open('payerfsp')
  const reports: BulkProgress[] = []
  const onProgress = (progress: BulkProgress) => void reports.push(progress)
  await payer.payBulk(orderOf([...ids, '999'], { onProgress }))
  const lookups = reports.filter(({ quoted, failed }) => quoted === 0 && failed <= 1)
  expect(lookups.length).toBeGreaterThan(3)
  expect(lookups.length).toBeLessThanOrEqual(11)
  const steps = reports.slice(lookups.length).map(({ quoted, sent: count, committed, failed }) => {
    return [quoted, count, committed, failed]
  })
  expect(steps).toEqual([
    [39, 0, 0, 2],
    [39, 39, 0, 2],
    [39, 39, 39, 2],
  ])
})

test('The result of a payment has the terms and the extensions of the payee FSP', async () => {
  const payeeFspFee = { currency: 'USD', amount: '0.5' }
  await openPayee('east', ['1', '2'], {
    onQuote: ({ payee }) => ({
      type: 'AGREE',
      payeeFspFee,
      extensions: [{ key: 'tariff', value: payee.id }],
    }),
    onTransfer: ({ transaction }) => ({
      type: 'COMMIT',
      extensions: [
        { key: 'booking', value: `of ${transaction?.payee.partyIdInfo.partyIdentifier ?? ''}` },
      ],
    }),
  })
  const { payments } = await open('payerfsp').payBulk(orderOf(['1', '2']))
  expect(payments).toMatchObject(
    ['1', '2'].map((id) => ({
      state: 'COMMITTED',
      quote: { payeeFspFee, extensions: new Map([['tariff', id]]) },
      extensions: new Map([['booking', `of ${id}`]]),
    })),
  )
})

test('A bulk has at most 1,000 payments', async () => {
  const ids = Array.from({ length: 1_001 }, (_, at) => `${at}`)
  await openPayee('east', [])
  const to = (id: string) => ({ type: 'MSISDN', id, fspId: 'east' }) as const
  const payer = open('payerfsp')
  const { payments, bulks } = await payer.payBulk(
    orderOf([], {
      payments: ids.map((id) => ({ to: to(id), amount: { currency: 'USD', amount: '1' } })),
    }),
  )
  expect(bulks.map(({ committed }) => committed)).toEqual([1_000, 1])
  expect(payments.every(({ state }) => state === 'COMMITTED')).toBe(true)
})

test('A payee who is not found within half of the time does not hold up other payments', async () => {
  await openPayee('east', ['1'])
  const payer = open('payerfsp')
  scheme.passOn((message) => (message.path === '/parties/MSISDN/2' ? undefined : message))
  await open('west', { onLookUp: () => ({ name: 'two' }) }).associate({ type: 'MSISDN', id: '2' })
  const { payments } = await payer.payBulk(
    orderOf(['2', '1'], { expiration: new Date(Date.now() + 1_000) }),
  )
  expect(payments).toMatchObject([
    { state: 'ABORTED', leg: 'lookup', error: { errorCode: '2004' } },
    { state: 'COMMITTED' },
  ])
})

test('A payment that fails does not affect others, and its result names the step that failed', async () => {
  await openPayee('east', ['1', '2', '3', '4'], {
    onQuote: ({ payee }) =>
      payee.id === '2' ? { type: 'REJECT', error: errorInformation('5103') } : { type: 'AGREE' },
    onTransfer: ({ transaction }) =>
      transaction?.payee.partyIdInfo.partyIdentifier === '3'
        ? { type: 'REJECT', error: errorInformation('5104') }
        : { type: 'COMMIT' },
  })
  const payer = open('payerfsp')
  const { payments, bulks } = await payer.payBulk(orderOf(['999', '1', '2', '3', '4']))
  expect(
    payments.map((payment) =>
      payment.state === 'ABORTED' ? `${payment.leg} ${payment.error.errorCode}` : payment.state,
    ),
  ).toEqual(['lookup 3204', 'COMMITTED', 'quote 5103', 'transfer 5104', 'COMMITTED'])
  expect(bulks).toMatchObject([{ state: 'COMPLETED', committed: 2, failed: 1 }])
})

describe('The payee FSP of a bulk:', () => {
  test('A repeated bulk is answered with the same bytes, and a different one with its id with 3106', async () => {
    let decided = 0
    await openPayee('east', ['1'], {
      onTransfer() {
        decided += 1
        return { type: 'COMMIT' }
      },
    })
    const payer = open('payerfsp')
    await payer.payBulk(orderOf(['1']))
    const [post] = scheme.hub.taken.filter(sent('POST', 'bulkTransfers'))
    const [put] = scheme.hub.taken.filter(sent('PUT', 'bulkTransfers'))
    const [, east] = [payer, opened[0]]
    if (post === undefined || east === undefined) throw new Error('nothing was sent')
    const message = { method: 'POST', target: post.path, headers: post.headers }
    await east.receive({ ...message, body: post.body })
    const puts = await scheme.hub.received(sent('PUT', 'bulkTransfers'), 2)
    expect(puts[1]?.body).toEqual(put?.body)
    expect(decided).toBe(1)
    const changed = { ...jsonOf(post), expiration: '2099-01-01T00:00:00.000Z' }
    await east.receive({ ...message, body: Buffer.from(JSON.stringify(changed)) })
    const [, , refusal] = await scheme.hub.received(sent('PUT', 'bulkTransfers'), 3)
    expect(refusal?.path).toMatch(/\/error$/)
    expect(jsonOf(refusal)).toMatchObject({ errorInformation: { errorCode: '3106' } })
  })

  test('A bulk of which the hub has left out items is accepted, and the outcome of each item is reported once', async () => {
    const outcomes: PayeeOutcome[] = []
    const east = await openPayee('east', ['1', '2'], {
      onOutcome: (outcome) => void outcomes.push(outcome),
    })
    const payer = open('payerfsp')
    scheme.passOn((message) =>
      message.method === 'POST' && message.path === '/bulkTransfers' ? undefined : message,
    )
    const paying = payer.payBulk(orderOf(['1', '2'], { expiration: new Date(Date.now() + 1_000) }))
    const [post] = await scheme.hub.received(sent('POST', 'bulkTransfers'), 1)
    const json = jsonOf(post)
    const [, second] = json.individualTransfers
    const left = { ...json, individualTransfers: [second] }
    const headers = { ...callbackHeaders('east', 'Hub', 'bulkTransfers') }
    const result = await east.receive({
      method: 'POST',
      target: '/bulkTransfers',
      headers: { ...headers, accept: headers['content-type'] },
      body: Buffer.from(JSON.stringify(left)),
    })
    expect(result.status).toBe(202)
    const [put] = await scheme.hub.received(sent('PUT', 'bulkTransfers'), 1)
    expect(put?.headers['fspiop-destination']).toBe('Hub')
    expect(jsonOf(put).individualTransferResults).toEqual([
      { transferId: second?.transferId, fulfilment: expect.any(String) },
    ])
    const outcome = {
      method: 'PUT',
      target: put?.path ?? '',
      headers,
      body: Buffer.from(JSON.stringify({ ...jsonOf(put), bulkTransferState: 'COMPLETED' })),
    }
    await east.receive(outcome)
    await east.receive(outcome)
    expect(outcomes).toEqual([
      { transferId: second?.transferId, state: 'COMMITTED', error: undefined },
    ])
    expect((await paying).payments.map(({ state }) => state)).toEqual(['UNRESOLVED', 'UNRESOLVED'])
  })

  test('The payee FSP accepts outcomes from the hub only', async () => {
    const east = await openPayee('east', ['1'])
    const payer = open('payerfsp')
    await payer.payBulk(orderOf(['1']))
    const [put] = scheme.hub.taken.filter(sent('PUT', 'bulkTransfers'))
    const headers = callbackHeaders('east', 'payerfsp', 'bulkTransfers')
    const body = put?.body ?? Buffer.alloc(0)
    const result = await east.receive({ method: 'PUT', target: put?.path ?? '', headers, body })
    expect(result).toMatchObject({ status: 400, error: { errorCode: '3100' } })
  })
})

describe('The payer FSP of a bulk:', () => {
  test('A commit without the fulfilment of its condition is rejected', async () => {
    await openPayee('east', ['1'])
    const payer = open('payerfsp')
    scheme.passOn((message) => {
      if (!sent('PUT', 'bulkTransfers')(message)) return message
      const json = jsonOf(message)
      const forged = json.individualTransferResults.map((result) => ({
        ...result,
        fulfilment: 'UNlJ98hZTY_dsw0cAqw4i_UN3v4utt7CZFB4yfLbVFA',
      }))
      const body = Buffer.from(JSON.stringify({ ...json, individualTransferResults: forged }))
      return { ...message, body }
    })
    const expiration = new Date(Date.now() + 500)
    const { payments, bulks } = await payer.payBulk(orderOf(['1'], { expiration }))
    expect(payments.map(({ state }) => state)).toEqual(['UNRESOLVED'])
    expect(bulks).toMatchObject([{ state: 'UNRESOLVED', committed: 0, failed: 0 }])
    expect(scheme.statuses).toContain(400)
  })

  test('The payer FSP asks the hub when no callback arrives, and an answer without a final state changes nothing', async () => {
    await openPayee('east', ['1'])
    const payer = open('payerfsp')
    scheme.passOn((message) => (sent('PUT', 'bulkTransfers')(message) ? undefined : message))
    const paying = payer.payBulk(orderOf(['1']))
    await scheme.hub.received(sent('GET', 'bulkTransfers'), 1)
    const [put] = await scheme.hub.received(sent('PUT', 'bulkTransfers'), 1)
    const deliver = (body: object) =>
      payer.receive({
        method: 'PUT',
        target: put?.path ?? '',
        headers: callbackHeaders('payerfsp', 'Hub', 'bulkTransfers'),
        body: Buffer.from(JSON.stringify(body)),
      })
    await deliver({ bulkTransferState: 'PROCESSING' })
    await deliver(jsonOf(put))
    expect((await paying).payments.map(({ state }) => state)).toEqual(['COMMITTED'])
  })

  test('An error of the hub means that no payment of the bulk was made', async () => {
    await openPayee('east', ['1', '2'])
    const payer = open('payerfsp')
    scheme.passOn((message) => {
      if (!sent('POST', 'bulkTransfers')(message)) return message
      void payer.receive({
        method: 'PUT',
        target: `/bulkTransfers/${String(jsonOf(message)['bulkTransferId'])}/error`,
        headers: callbackHeaders('payerfsp', 'Hub', 'bulkTransfers'),
        body: Buffer.from(JSON.stringify({ errorInformation: errorInformation('3100') })),
      })
      return undefined
    })
    const { payments, bulks } = await payer.payBulk(orderOf(['1', '2']))
    expect(payments).toMatchObject([
      { state: 'ABORTED', leg: 'transfer', error: { errorCode: '3100' } },
      { state: 'ABORTED', leg: 'transfer', error: { errorCode: '3100' } },
    ])
    expect(bulks).toMatchObject([{ state: 'REJECTED', committed: 0, failed: 2 }])
  })

  test('Payments that the payee FSP has not quoted are aborted without a transfer', async () => {
    await openPayee('east', ['1'], { onQuote: () => ({ type: 'IGNORE' }) })
    const payer = open('payerfsp')
    const expiration = new Date(Date.now() + 200)
    const { payments, bulks } = await payer.payBulk(orderOf(['1'], { expiration }))
    expect(payments).toMatchObject([{ state: 'ABORTED', leg: 'quote' }])
    expect(bulks).toEqual([])
    expect(scheme.hub.taken.some(sent('POST', 'bulkTransfers'))).toBe(false)
  })
})
