/** Cover, its exclusions and the history of accounts, on a real database. */
import {
  type AuditLog,
  collectAudit,
  depositTo,
  differencesIn,
  fulfil,
  fulfilItem,
  onboard,
  openHubAccounts,
  openWorld,
  patient,
  prepare,
  prepareItem,
  release,
  releaseItem,
  wordsOf,
  type ParticipantLifecycleWorld,
} from '@causeway/participant-lifecycle/testing'
import { randomUUID } from 'node:crypto'
import type { Calls } from '@causeway/grpc'
import { liquidityService, type LiquidityPosition, type ReservationMode } from '@causeway/protos'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'

let hub: ParticipantLifecycleWorld
let liquidity: Calls<typeof liquidityService>
let audit: AuditLog
const currency = 'USD'

beforeAll(async () => {
  hub = await openWorld()
  liquidity = hub.parts.grpc.client(liquidityService, 'participant-lifecycle')
  audit = await collectAudit(hub)
  await openHubAccounts(hub)
  await onboard(hub, 'greenbank')
  await onboard(hub, 'bluewallet')
}, 60_000)

afterAll(async () => {
  expect(await differencesIn(hub)).toEqual([])
  await hub.stop()
}, 60_000)

async function coverOf(name: string): Promise<LiquidityPosition> {
  const { position } = await liquidity.GetCurrentLiquidityPosition({ name, currency }, patient)
  if (!position) throw new Error(`${name} has no cover`)
  return position
}

async function exclude(
  name: string,
  mode: ReservationMode,
  value: string,
  requestId: string = randomUUID(),
): Promise<string> {
  const { recorded, refusal } = await liquidity.RecordLiquidityReservationEntries(
    { requestId, name, currency, mode, value, actor: 'ada' },
    patient,
  )
  return refusal ? refusal.reason : (recorded?.resolvedAmount ?? '')
}

describe('an exclusion', () => {
  test('An exclusion lowers what can be sent and withdrawn, until another one replaces it', async () => {
    await onboard(hub, 'cautious', '2000')
    expect(await exclude('cautious', 'AMOUNT', '400')).toBe('400')
    expect(await coverOf('cautious')).toMatchObject({
      settlementBalance: '-1000',
      liquidity: '1000',
      excluded: '400',
      netDebitCap: '2000',
      available: '600',
      withdrawable: '600',
    })
    const paying = (amount: string) => prepare(hub, prepareItem({ payerFsp: 'cautious', amount }))
    expect(wordsOf(await paying('601'))).toEqual(['REFUSED COVER_SHORT'])
    expect(await exclude('cautious', 'PERCENT', '25')).toBe('250')
    expect(wordsOf(await paying('750'))).toEqual(['RESERVED'])
    expect(wordsOf(await paying('1'))).toEqual(['REFUSED COVER_SHORT'])
    const { reservations } = await liquidity.RequestReservationAccounts({
      name: 'cautious',
      currency,
    })
    expect(reservations?.reservations).toMatchObject([
      { mode: 'PERCENT', value: '25', resolvedAmount: '250' },
    ])
    expect(
      (await audit.about('participants/cautious/cover/USD', 2)).map(({ after }) => after),
    ).toEqual([
      { excluded: '400', mode: 'AMOUNT', value: '400' },
      { excluded: '250', mode: 'PERCENT', value: '25' },
    ])
  })

  test('An exclusion leaves what is owed covered, and 0 ends it', async () => {
    await onboard(hub, 'careful', '2000')
    await prepare(hub, prepareItem({ payerFsp: 'careful', amount: '700' }))
    expect(await exclude('careful', 'AMOUNT', '301')).toBe('COVER_SHORT')
    expect(await exclude('careful', 'PERCENT', '30.0001')).toBe('COVER_SHORT')
    expect(await exclude('careful', 'PERCENT', '30')).toBe('300')
    expect(await exclude('careful', 'AMOUNT', '0')).toBe('0')
    const { reservations } = await liquidity.RequestReservationAccounts({
      name: 'careful',
    })
    expect(reservations?.reservations).toEqual([])
    expect((await coverOf('careful')).excluded).toBe('0')
  })

  test('An exclusion by percentage becomes a fixed amount', async () => {
    await onboard(hub, 'growing')
    expect(await exclude('growing', 'PERCENT', '10')).toBe('100')
    await depositTo(hub.participants, 'growing', '1000')
    expect(await coverOf('growing')).toMatchObject({ liquidity: '2000', excluded: '100' })
  })

  test('An exclusion is recorded once per request', async () => {
    await onboard(hub, 'twice')
    const id = randomUUID()
    expect(await exclude('twice', 'AMOUNT', '5', id)).toBe('5')
    expect(await exclude('twice', 'AMOUNT', '6')).toBe('6')
    expect(await exclude('twice', 'AMOUNT', '5', id)).toBe('5')
    expect(await exclude('twice', 'AMOUNT', '7', id)).toBe('MODIFIED')
    expect((await coverOf('twice')).excluded).toBe('6')
  })

  test.each<[string, ReservationMode, string, string]>([
    ['nobody', 'AMOUNT', '1', 'PARTICIPANT_UNKNOWN'],
    ['Hub', 'AMOUNT', '1', 'ACCOUNT_UNKNOWN'],
    ['greenbank', 99 as never, '1', 'INVALID'],
    ['greenbank', 'PERCENT', '100.0001', 'INVALID'],
    ['greenbank', 'AMOUNT', '-1', 'INVALID'],
    ['greenbank', 'AMOUNT', '1000.0001', 'COVER_SHORT'],
  ])('An exclusion of %s by %s %s is refused: %s', async (name, mode, value, reason) => {
    expect(await exclude(name, mode, value)).toBe(reason)
  })
})

describe('the history of an account', () => {
  async function accountOf(name: string, type: string): Promise<number> {
    const { balances } = await hub.participants.RequestAccountsPositions({ name, currency })
    return balances?.accounts.find((one) => one.ledgerAccountType === type)?.id ?? 0
  }

  async function historyOf(name: string, type: string, limit = 100) {
    const accountId = await accountOf(name, type)
    const query = { name, accountId, limit }
    const changes = []
    for (let cursor: string | undefined; ;) {
      const { page } = await liquidity.RequestAccountPositionHistory({ ...query, cursor }, patient)
      if (!page) throw new Error('no history')
      changes.push(...page.changes)
      if (page.cursor === undefined) return changes
      ;({ cursor } = page)
    }
  }

  test('The history lists each change with its cause and the value after it, newest first', async () => {
    await onboard(hub, 'payer')
    const [kept, lost] = [
      prepareItem({ payerFsp: 'payer', amount: '100' }),
      prepareItem({ payerFsp: 'payer', amount: '30' }),
    ]
    await prepare(hub, kept)
    await prepare(hub, lost)
    await fulfil(hub, fulfilItem(kept.transferId))
    await release(hub, releaseItem(lost.transferId))
    const all = await historyOf('payer', 'POSITION')
    expect(all.map(({ change, value, causeId, step }) => [change, value, causeId, step])).toEqual([
      ['-30', '100', lost.transferId, 'VOID'],
      ['30', '130', lost.transferId, 'RESERVE'],
      ['100', '100', kept.transferId, 'RESERVE'],
    ])
    expect(await historyOf('payer', 'POSITION', 1)).toEqual(all)
    expect(await historyOf('payer', 'SETTLEMENT')).toMatchObject([
      { change: '-1000', value: '-1000', causeType: 'FUNDS_IN' },
    ])
    const received = await historyOf('bluewallet', 'POSITION')
    expect(received[0]).toMatchObject({ change: '-100', causeId: kept.transferId, step: 'POST' })
  })

  test('The history can end at a time, with the value at that time', async () => {
    await onboard(hub, 'timed')
    await depositTo(hub.participants, 'timed', '5')
    const before = await historyOf('timed', 'SETTLEMENT')
    const to = before[0]?.at ?? ''
    await hub.sql(`select pg_sleep(0.01)`)
    await depositTo(hub.participants, 'timed', '7')
    const accountId = await accountOf('timed', 'SETTLEMENT')
    const query = { name: 'timed', accountId, from: to, to, limit: 10 }
    const { page } = await liquidity.RequestAccountPositionHistory(query)
    expect(page?.changes).toMatchObject([{ change: '-5', value: '-1005' }])
  })

  test("Another participant's account has no history", async () => {
    const accountId = await accountOf('greenbank', 'POSITION')
    const query = { name: 'bluewallet', accountId, limit: 1 }
    const { refusal } = await liquidity.RequestAccountPositionHistory(query)
    expect(refusal?.reason).toBe('ACCOUNT_UNKNOWN')
  })
})

test('With COVER_PERCENT=follows a percentage follows the deposit, and its current amount is shown', async () => {
  const following = await openWorld({ COVER_PERCENT: 'follows' })
  const covers = following.parts.grpc.client(liquidityService, 'participant-lifecycle')
  const about = { name: 'growing', currency }
  await openHubAccounts(following)
  await onboard(following, 'growing', '5000')
  await onboard(following, 'bluewallet')
  const asked = {
    ...about,
    requestId: randomUUID(),
    mode: 'PERCENT',
    value: '10',
    actor: 'ada',
  } as const
  const { recorded } = await covers.RecordLiquidityReservationEntries(asked, patient)
  expect(recorded?.resolvedAmount).toBe('100')
  await depositTo(following.participants, 'growing', '1000')
  const { position } = await covers.GetCurrentLiquidityPosition(about)
  expect(position).toMatchObject({ liquidity: '2000', excluded: '200', available: '1800' })
  const { reservations } = await covers.RequestReservationAccounts(about)
  expect(reservations?.reservations).toMatchObject([{ value: '10', resolvedAmount: '200' }])
  const paying = async (amount: string) => {
    const [word] = wordsOf(await prepare(following, prepareItem({ payerFsp: 'growing', amount })))
    return word
  }
  expect(await paying('1801')).toBe('REFUSED COVER_SHORT')
  expect(await paying('1800')).toBe('RESERVED')
  const { differences } = await following.ledger.VerifyLedger({}, { deadline_ms: 60_000 })
  expect(differences).toEqual([])
  await following.stop()
})
