/**
 * The hub starts on the data of each earlier release and continues where that release was killed.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openFsp, type Fsp } from './fsp/fsp.ts'
import { freePorts, removeDataDir, startHub, type HubProcess } from './hub/hub-process.ts'
import { answered, operatorAt, position, type Operator } from './operator/operator.ts'
import { insecureSettings } from './hub/scheme.ts'
import { about, committed, errorOf, type Transfer } from './fsp/transfer.ts'
import { readRelease, releases, restoreRelease } from './releases/fixture.ts'

describe.each(releases())('data of release %s', (version) => {
  const { payments, ...data } = readRelease(version)
  let dataDir: string
  let hub: HubProcess
  let operator: Operator
  let payer: Fsp
  let payee: Fsp

  beforeAll(async () => {
    payer = await openFsp('greenbank', () => hub.urls.fsp)
    payee = await openFsp('bluewallet', () => hub.urls.fsp)
    dataDir = await restoreRelease({ payments, ...data }, [payer.url, payee.url])
    const settings = { LOG_LEVEL: 'warn', ...insecureSettings, ...(await freePorts()) }
    hub = await startHub({ dataDir, settings })
    operator = operatorAt(hub.urls.operator, hub.passwordFile)
  }, 180_000)

  afterAll(async () => {
    await hub.stop()
    await Promise.all([payer, payee].map((fsp) => fsp.stop()))
    await removeDataDir(dataDir)
  })

  function stateOf({ transferId }: Transfer): Promise<{ readonly state: string }> {
    return answered(operator.call('GET', `/transfers/${transferId}/story`))
  }

  const send = (fsp: Fsp, method: string, { transferId }: Transfer, body?: unknown) =>
    fsp.send(method, method === 'POST' ? '/transfers' : `/transfers/${transferId}`, body, {
      'fspiop-destination': fsp === payer ? payee.name : payer.name,
    })

  test('Transfers that had ended are found with their outcome', async () => {
    for (const transfer of [payments.settled, payments.paid]) {
      expect(await stateOf(transfer)).toMatchObject({ state: 'COMMITTED' })
      expect((await send(payer, 'GET', transfer)).status).toBe(202)
      const answer = await payer.await(about(transfer.transferId, 'PUT'))
      expect(answer.json()).toMatchObject({
        transferState: 'COMMITTED',
        fulfilment: transfer.fulfilment,
      })
    }
  })

  test('A transfer that has expired since is aborted, and the payer FSP receives 3303', async () => {
    const { transferId } = payments.expired
    expect((await send(payer, 'GET', payments.expired)).status).toBe(202)
    const failure = await payer.await(about(transferId, 'PUT', true))
    expect(errorOf(failure).errorCode).toBe('3303')
    expect(await stateOf(payments.expired)).toMatchObject({ state: 'ABORTED' })
  })

  test('A transfer that is still open is fulfilled', async () => {
    const { open } = payments
    expect(await stateOf(open)).toMatchObject({ state: 'RESERVED' })
    expect((await send(payee, 'PUT', open, committed(open))).status).toBe(200)
    const outcome = await payer.await(about(open.transferId, 'PUT'))
    expect(outcome.json()).toMatchObject({ transferState: 'COMMITTED' })
  })

  test('A repeated request gets its earlier answer and moves no money', async () => {
    const after = payer.received.length
    const answer = await send(payer, 'POST', payments.paid, payments.paid.request)
    expect(answer).toMatchObject({ status: 202 })
    await payer.await(about(payments.paid.transferId, 'PUT'), { after })
  })

  test('The positions are the sums of the payments before and since, and the books agree', async () => {
    expect(await position(operator, 'greenbank')).toBe(127.5)
    expect(await position(operator, 'bluewallet')).toBe(-127.5)
    expect((await operator.call('POST', '/verify')).json).toMatchObject({
      clean: true,
      differences: [],
    })
  })

  test('The earlier settlement windows are listed, and the open one can be closed', async () => {
    const windows = (state: string) =>
      answered<readonly { readonly id: number }[]>(
        operator.call('GET', `/v2/settlementWindows?state=${state}`),
      )
    expect(await windows('CLOSED')).toHaveLength(1)
    const [open] = await windows('OPEN')
    const change = { state: 'CLOSED', reason: 'the end of a day' }
    await answered(operator.call('POST', `/v2/settlementWindows/${open?.id ?? 0}`, change))
  })
})
