import { randomUUID } from 'node:crypto'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { eventually } from '@causeway/process/testing'
import { ledgerService, transfersService } from '@causeway/protos'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newPayment, request } from './testing/payments.ts'
import { openWorld, type ApiResponse, type AdminWorld } from './testing/world.ts'
import { accountOf, deposit, onboard, openScheme } from './testing/scheme.ts'

const services = [participantLifecycle, settlements, transfers] as const

let admin: AdminWorld
let path: string

const compatibilities = ['specification', 'mojaloop'] as const

function refusalOf({ status, json }: ApiResponse): string {
  const { errorInformation } = json as { errorInformation: { errorCode: string } }
  return `${status} ${errorInformation.errorCode}`
}

async function balances() {
  const settlement = await accountOf(admin, 'green', 'SETTLEMENT')
  const hub = await accountOf(admin, 'Hub', 'HUB_RECONCILIATION')
  return [settlement.value, hub.value]
}

async function reserve(amount: string, transferId: string = randomUUID()): Promise<string> {
  const { status, text } = await admin.call('POST', path, {
    ...deposit({ amount: { amount, currency: 'USD' } }),
    action: 'recordFundsOutPrepareReserve',
    transferId,
  })
  expect([status, text]).toEqual([202, ''])
  return transferId
}

function complete(transferId: string, action: string): Promise<ApiResponse> {
  return admin.call('PUT', `${path}/transfers/${transferId}`, {
    action,
    reason: 'the bank says so',
  })
}

async function movementOf(transferId: string) {
  const { json } = await admin.call('GET', '/participants/green/funds')
  const { movements } = json as {
    movements: { transferId: string; state: string; stateReason: string | null }[]
  }
  const found = movements.find((movement) => movement.transferId === transferId)
  return [found?.state, found?.stateReason]
}

describe.each(compatibilities)('funds out, COMPATIBILITY=%s', (COMPATIBILITY) => {
  beforeAll(async () => {
    admin = await openWorld(services, { COMPATIBILITY })
    await openScheme(admin)
    for (const name of ['green', 'blue']) await onboard(admin, name)
    path = `/participants/green/accounts/${(await accountOf(admin, 'green', 'SETTLEMENT')).id}`
    await admin.call('POST', path, deposit())
  }, 60_000)

  afterAll(() => admin.stop())

  test('Funds out are reserved first, and committed when the bank has paid', async () => {
    expect(await balances()).toEqual([-100, 100])
    const id = await reserve('10')
    expect(await balances()).toEqual([-90, 100])
    expect(await movementOf(id)).toEqual(['RESERVED', null])
    for (let times = 1; times <= 2; times++) {
      expect((await complete(id, 'recordFundsOutCommit')).status).toBe(202)
      expect(await balances()).toEqual([-90, 90])
    }
    expect(await movementOf(id)).toEqual(['COMMITTED', null])
    expect(refusalOf(await complete(id, 'recordFundsOutAbort'))).toBe('400 3100')
  })

  test('What is reserved on an account is shown until the reservation ends', async () => {
    const shown = async (type: string) => {
      const { json } = await admin.call('GET', '/participants/green/accounts')
      const rows = json as { ledgerAccountType: string; value: number; reservedValue: number }[]
      const { value, reservedValue } = rows.find((row) => row.ledgerAccountType === type) ?? {}
      return [value, reservedValue]
    }
    // Scripts for other hubs always read 0.
    const isMojaloop = COMPATIBILITY === 'mojaloop'
    const [balance = 0] = await shown('SETTLEMENT')
    const id = await reserve('10.25')
    expect(await shown('SETTLEMENT')).toEqual([balance + 10.25, isMojaloop ? 0 : 10.25])
    const transferId = randomUUID()
    await admin.reserve({ transferId, payerFsp: 'green', payeeFsp: 'blue' })
    expect(await shown('POSITION')).toEqual([1, isMojaloop ? 0 : 1])
    await complete(id, 'recordFundsOutAbort')
    const ledger = admin.parts.grpc.client(ledgerService, 'participant-lifecycle')
    const expiresAt = new Date().toISOString()
    const released = {
      transferId,
      expiresAt,
      reason: 'REJECTED' as const,
      evidence: Buffer.alloc(0),
    }
    await ledger.ProcessTransferRelease({ items: [released] })
    expect(await shown('SETTLEMENT')).toEqual([balance, 0])
    expect(await shown('POSITION')).toEqual([0, 0])
  })

  test('Funds out are released when they are aborted', async () => {
    const before = await balances()
    const id = await reserve('10.5')
    for (let times = 1; times <= 2; times++) {
      expect((await complete(id, 'recordFundsOutAbort')).status).toBe(202)
      expect(await balances()).toEqual(before)
    }
    expect(await movementOf(id)).toEqual(['ABORTED_REJECTED', 'ABORTED'])
    expect(refusalOf(await complete(id, 'recordFundsOutCommit'))).toBe('400 3100')
  })

  test('Funds out beyond the balance are answered like others, and are not reserved', async () => {
    const before = await balances()
    const id = await reserve('1000')
    expect(await balances()).toEqual(before)
    expect(await movementOf(id)).toEqual(['ABORTED_REJECTED', 'COVER_SHORT'])
    expect(refusalOf(await complete(id, 'recordFundsOutCommit'))).toBe('400 3100')
  })

  test('Funds with the same id are recorded once, and refused with other content', async () => {
    const id = await reserve('1')
    const again = {
      ...deposit({ amount: { amount: '2', currency: 'USD' }, transferId: id }),
      action: 'recordFundsOutPrepareReserve',
    }
    const before = await balances()
    await reserve('1', id)
    expect(await balances()).toEqual(before)
    expect(refusalOf(await admin.call('POST', path, again))).toBe('400 3106')
    await complete(id, 'recordFundsOutAbort')
  })

  test('Funds out may reduce the cover below the position only with COMPATIBILITY=mojaloop', async () => {
    const payment = newPayment('green', 'blue', '50')
    await request(admin, payment)
    const states = admin.parts.grpc.client(transfersService, 'transfers')
    await eventually(async () => {
      const { transfers } = await states.GetTransferStates({ ids: [payment.transferId] })
      return transfers[0]?.state === 'RESERVED' ? true : undefined
    }, 'the payment is reserved')
    const id = await reserve('80')
    expect((await movementOf(id))[0]).toBe(
      COMPATIBILITY === 'mojaloop' ? 'RESERVED' : 'ABORTED_REJECTED',
    )
  }, 30_000)

  test.each([
    ['unknown', 'recordFundsOutCommit', '404 3200'],
    ['of another action', 'recordFundsIn', '400 3101'],
  ])('The completion of funds that are %s is refused', async (_what, action, expected) => {
    expect(refusalOf(await complete(randomUUID(), action))).toBe(expected)
  })

  test('Funds without a reason, and to another account, are refused', async () => {
    const id = await reserve('1')
    const one = `${path}/transfers/${id}`
    expect(refusalOf(await admin.call('PUT', one, { action: 'recordFundsOutCommit' }))).toBe(
      '400 3102',
    )
    const other = (await accountOf(admin, 'blue', 'SETTLEMENT')).id
    const body = { action: 'recordFundsOutCommit', reason: 'wrong' }
    const blues = `/participants/blue/accounts/${other}/transfers/${id}`
    expect(refusalOf(await admin.call('PUT', blues, body))).toBe('404 3200')
    expect(refusalOf(await admin.call('GET', one))).toBe('405 3000')
  })

  test('Funds are listed in pages, by state', async () => {
    const list = async (query: string) => {
      const { json } = await admin.call('GET', `/participants/green/funds${query}`)
      return json as { movements: { state: string; direction: string }[]; cursor: string | null }
    }
    const first = await list('?limit=2')
    expect(first.movements).toHaveLength(2)
    const second = await list(`?limit=2&cursor=${encodeURIComponent(first.cursor ?? '')}`)
    expect(second.movements).not.toEqual(first.movements)
    const committed = (await list('?state=COMMITTED')).movements
    expect(committed.map(({ state, direction }) => `${direction} ${state}`).toSorted()).toEqual([
      'IN COMMITTED',
      'OUT COMMITTED',
    ])
    expect(refusalOf(await admin.call('GET', '/participants/green/funds?limit=0'))).toBe('400 3100')
  })
})
