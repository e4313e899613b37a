/**
 * A payee FSP that answers RESERVED pays out only when the hub has sent it the outcome by PATCH.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Fsp } from './fsp/fsp.ts'
import { position } from './operator/operator.ts'
import { agree, at, move, newQuote } from './fsp/payment.ts'
import { shareSafeScheme, type Scheme } from './hub/scheme.ts'
import { about, committed, errorOf, newTransfer, type Transfer } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  scheme = await shareSafeScheme()
  payer = await scheme.join('greenbank-reserved')
  payee = await scheme.join('bluewallet-reserved')
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

async function prepared(changes: Parameters<typeof newTransfer>[2] = {}): Promise<Transfer> {
  const transfer = newTransfer(payer, payee, changes)
  await payer.send('POST', '/transfers', transfer.request, to(payee))
  await payee.await(about(transfer.transferId, 'POST'))
  return transfer
}

async function fulfil({ transferId }: Transfer, body: unknown): Promise<void> {
  const answer = await payee.send('PUT', `/transfers/${transferId}`, body, to(payer))
  expect([answer.status, answer.body]).toEqual([200, ''])
}

test('After RESERVED the hub sends COMMITTED to the payer FSP, and a signed PATCH to the payee FSP', async () => {
  const before = await position(scheme.operator, payee.name)
  const { transfer } = await agree(payer, payee, newQuote(payer, payee))
  const callback = await move(payer, payee, transfer, 'RESERVED')
  expect(callback.json()).toMatchObject({
    transferState: 'COMMITTED',
    fulfilment: transfer.fulfilment,
  })
  expect(callback.headers).toMatchObject({ 'fspiop-source': 'Hub', 'fspiop-http-method': 'PUT' })

  const notice = await payee.await(about(transfer.transferId, 'PATCH'))
  expect(notice.json()).toMatchObject({
    transferState: 'COMMITTED',
    completedTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
  })
  expect(notice.headers).toMatchObject({
    'fspiop-source': 'Hub',
    'fspiop-destination': payee.name,
    'fspiop-http-method': 'PATCH',
    'fspiop-uri': `/transfers/${transfer.transferId}`,
    'fspiop-signature': expect.stringContaining('protectedHeader'),
  })
  expect(notice.headers).not.toHaveProperty('accept')
  expect(await position(scheme.operator, payee.name)).toBe(before - 10)
})

describe('A PATCH that the payee FSP did not receive', () => {
  test('A refused PATCH is sent again until the payee FSP accepts it', async () => {
    let refused = 0
    payee.answerWith(({ method }) => {
      if (method === 'PATCH' && refused < 2) {
        refused += 1
        return 503
      }
      return method === 'POST' ? 202 : 200
    })
    const transfer = await prepared()
    await fulfil(transfer, committed(transfer, 'RESERVED'))
    const after = payee.received.length
    const isNotice = about(transfer.transferId, 'PATCH')
    const notices = () => payee.received.filter(isNotice)
    await payee.await(() => notices().length === 3, { after, timeout_ms: 30_000 })
    expect(new Set(notices().map(({ body }) => body.toString())).size).toBe(1)
  }, 40_000)

  test('A PATCH is sent again when the payee FSP repeats RESERVED', async () => {
    const transfer = await prepared()
    const body = committed(transfer, 'RESERVED')
    await fulfil(transfer, body)
    const first = await payee.await(about(transfer.transferId, 'PATCH'))
    const after = payee.received.length
    await fulfil(transfer, body)
    const again = await payee.await(about(transfer.transferId, 'PATCH'), { after })
    expect(again.json()).toEqual(first.json())
  })
})

describe('PATCH with ABORTED', () => {
  test('An invalid fulfilment after RESERVED gets PATCH with ABORTED, and the payer FSP receives 3100', async () => {
    const transfer = await prepared()
    const { fulfilment } = newTransfer(payer, payee)
    await fulfil(transfer, { ...committed(transfer, 'RESERVED'), fulfilment })
    const notice = await payee.await(about(transfer.transferId, 'PATCH'))
    expect(notice.json()).toMatchObject({ transferState: 'ABORTED' })
    const callback = await payer.await(about(transfer.transferId, 'PUT', true))
    expect(errorOf(callback)).toMatchObject({ errorCode: '3100' })
  })

  test('A late RESERVED gets PATCH with ABORTED and the cause', async () => {
    const transfer = await prepared({ expires_ms: 1_500 })
    const expired = await payee.await(about(transfer.transferId, 'PUT', true))
    expect(errorOf(expired)).toMatchObject({ errorCode: '3303' })
    await fulfil(transfer, committed(transfer, 'RESERVED'))
    const notice = await payee.await(about(transfer.transferId, 'PATCH'))
    expect(notice.json()).toMatchObject({
      transferState: 'ABORTED',
      extensionList: { extension: [{ key: 'cause', value: '3303: Transfer expired' }] },
    })
  })
})

test('RESERVED in version 1.0, which has no PATCH, is refused, and the transfer goes on', async () => {
  const transfer = await prepared()
  const path = `/transfers/${transfer.transferId}`
  const media = 'application/vnd.interoperability.transfers+json;version=1.0'
  const { status, body } = await payee.send('PUT', path, committed(transfer, 'RESERVED'), {
    ...to(payer),
    'content-type': media,
  })
  expect(status).toBe(400)
  expect(JSON.parse(body)).toMatchObject({ errorInformation: { errorCode: '3101' } })
  await fulfil(transfer, committed(transfer))
  await payer.await(at('PUT', path))
})

test('PATCH from an FSP is refused, since only the hub sends it', async () => {
  const path = `/transfers/${newTransfer(payer, payee).transferId}`
  const body = { completedTimestamp: new Date().toISOString(), transferState: 'COMMITTED' }
  const answer = await payee.send('PATCH', path, body, to(payer))
  expect(answer.status).toBe(501)
  expect(JSON.parse(answer.body)).toMatchObject({ errorInformation: { errorCode: '2002' } })
})
