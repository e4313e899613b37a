/**
 * The effects that a settlement shows for its steps, compared with what participants can send in
 * the real ledger: a payment of all that is available is reserved, one unit more is refused.
 */
import { randomUUID } from 'node:crypto'
import { currencies, formatAmount, parseDecimal } from '@causeway/money'
import { settings as ledgerSettings, start as startLedger } from '@causeway/participant-lifecycle'
import { statement } from '@causeway/postgres'
import { defaultsOf, eventually } from '@causeway/process/testing'
import {
  liquidityService,
  type Settlement,
  type SettlementModel,
  type SettlementAccountType,
  type SettlementAccountState,
} from '@causeway/protos'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  addFsp,
  addModel,
  closeOpen,
  differencesIn,
  openHub,
  openTestScheme,
  patient,
  pay,
  settle,
  stepAll,
  type TestScheme,
} from './testing/scheme.ts'

const granularities = ['NET', 'GROSS'] as const
const interchanges = ['MULTILATERAL', 'BILATERAL'] as const
const accountTypes = ['SETTLEMENT', 'INTERCHANGE_FEE_SETTLEMENT'] as const

interface Case extends Pick<
  SettlementModel,
  | 'granularity'
  | 'interchange'
  | 'ledgerAccountType'
  | 'settlementAccountType'
  | 'autoPositionReset'
> {
  readonly currency: string
  /** The account of the deposits that cover payments. */
  readonly cover: SettlementAccountType
}

/** Every model whose transfers are settled later, each in a currency of its own. */
const cases: readonly Case[] = granularities
  .flatMap((granularity) => interchanges.map((interchange) => ({ granularity, interchange })))
  .flatMap((one) => accountTypes.map((type) => ({ ...one, settlementAccountType: type })))
  .flatMap((one) => [true, false].map((autoPositionReset) => ({ ...one, autoPositionReset })))
  .flatMap((one) => [
    { ...one, ledgerAccountType: 'POSITION' as const, cover: one.settlementAccountType },
    ...accountTypes.map((cover) => ({
      ...one,
      ledgerAccountType: 'INTERCHANGE_FEE' as const,
      cover,
    })),
  ])
  .map((one, at) => ({ ...one, currency: currencies[at] ?? '' }))

function titleOf(model: Case): string {
  const { granularity, interchange, ledgerAccountType, settlementAccountType } = model
  const types = `${ledgerAccountType} to ${settlementAccountType}, covered by ${model.cover}`
  return `${granularity} ${interchange}, ${types}, reset ${model.autoPositionReset}`
}

/** Of the first two the cover is the lower bound, of the others the net debit cap. */
const fsps = ['greenbank', 'bluewallet', 'redpay', 'greypay'] as const

describe.each(['specification', 'mojaloop'] as const)('with COMPATIBILITY=%s', (compatibility) => {
  let scheme: TestScheme

  beforeAll(async () => {
    const COMPATIBILITY = compatibility
    scheme = await openTestScheme({
      startLedger: (parts) => startLedger({ ...defaultsOf(ledgerSettings), COMPATIBILITY }, parts),
      changes: { COMPATIBILITY },
    })
  })

  afterAll(async () => {
    expect(await differencesIn(scheme)).toEqual([])
    await scheme.stop()
  })

  test.each(cases.map((one) => [titleOf(one), one] as const))(
    'A settlement shows what each step changes in what participants may send: %s',
    async (_title, model) => {
      const played = await play(scheme, model)
      for (const states of [untilAborted, untilSettled]) {
        const { shown, measured } = await follow(played, states)
        expect(measured).toEqual(shown)
      }
    },
  )
})

interface Played {
  readonly scheme: TestScheme
  readonly currency: string
  /** Of the payments. */
  readonly modelId: number
  readonly settles: 'NET' | 'GROSS_DEFERRED'
  /** The model of the payments' fees, where these are settled. */
  readonly fees: string | null
  readonly windowId: number
}

/** Two participants pay each other, and two more; the window with the payments is closed. */
async function play(scheme: TestScheme, { cover: type, ...model }: Case): Promise<Played> {
  const { currency } = model
  const fees = model.ledgerAccountType === 'INTERCHANGE_FEE' ? `FEES${currency}` : null
  await openHub(scheme, currency)
  const rules = fees === null ? model : { currency, settlementAccountType: type }
  const modelId = await addModel(scheme, { name: `OF${currency}`, ...rules })
  if (fees !== null) {
    await addModel(scheme, { name: fees, ...model, interchangeFeePercentage: '100' })
  }
  for (const name of fsps.slice(0, 2)) {
    await addFsp(scheme, name, currency, { deposit: '1000', type })
  }
  for (const name of fsps.slice(2)) await addFsp(scheme, name, currency, { cap: '1000', type })
  const settles = fees === null && model.granularity === 'GROSS' ? 'GROSS_DEFERRED' : 'NET'
  const how = { currency, modelId, settles } as const
  const [first, second, third, fourth] = fsps
  await pay(
    scheme,
    { payer: first, payee: second, amount: '10', ...how },
    { payer: second, payee: first, amount: '4', ...how },
    { payer: third, payee: fourth, amount: '10', ...how },
    { payer: fourth, payee: third, amount: '4', ...how },
  )
  return { scheme, fees, windowId: (await closeOpen(scheme)).id, ...how }
}

const untilAborted = ['PS_TRANSFERS_RECORDED', 'PS_TRANSFERS_RESERVED', 'ABORTED'] as const
const untilSettled = [
  'PS_TRANSFERS_RECORDED',
  'PS_TRANSFERS_RESERVED',
  'PS_TRANSFERS_COMMITTED',
  'SETTLED',
] as const

/** Takes a settlement through the states: the effects that it shows, and those that are measured. */
async function follow(played: Played, states: readonly SettlementAccountState[]) {
  const { scheme, currency, fees, windowId } = played
  const begun = await roomsOf(played)
  const settlement = await settle(scheme, [windowId], fees ?? `OF${currency}`)
  expect(settlement.accounts.map(({ net }) => net)).toEqual(['6', '-6', '6', '-6'])
  const nothing = { room: 0n, excluded: 0n }
  let before = await roomsOf(played)
  const shown = [{ state: 'PENDING_SETTLEMENT', changes: fsps.map(() => nothing) }]
  const measured = [{ state: 'PENDING_SETTLEMENT', changes: differenceOf(begun, before) }]
  for (const state of states) {
    await (state === 'ABORTED' ? abort(scheme, settlement) : stepAll(scheme, settlement, state))
    const after = await roomsOf(played)
    shown.push({ state, changes: changesIn(settlement, state) })
    measured.push({ state, changes: differenceOf(before, after) })
    before = after
  }
  return { shown, measured }
}

/** Of each participant by the bound that applies to it. */
function changesIn({ stepEffects }: Settlement, state: string): Room[] {
  const effect = stepEffects.find((one) => one.state === state)
  if (effect === undefined) throw new Error(`no effect of ${state} is shown`)
  const { owingCover, owedCover, owingNetDebitCap, owedNetDebitCap, awaitsFundsOut } = effect
  const unpaid = awaitsFundsOut ? net : 0n
  return [
    { room: changeBy(owingCover), excluded: unpaid },
    { room: changeBy(owedCover), excluded: 0n },
    { room: changeBy(owingNetDebitCap), excluded: unpaid },
    { room: changeBy(owedNetDebitCap), excluded: 0n },
  ]
}

const net = 60_000n

const changes: Readonly<Record<string, bigint>> = { LESS: -net, SAME: 0n, MORE: net }

function changeBy(spending: string): bigint {
  const change = changes[spending]
  if (change === undefined) throw new Error(`${spending} is no effect`)
  return change
}

interface Room {
  readonly room: bigint
  readonly excluded: bigint
}

function differenceOf(before: readonly Room[], after: readonly Room[]): Room[] {
  return after.map(({ room, excluded }, at) => ({
    room: room - (before[at]?.room ?? 0n),
    excluded: excluded - (before[at]?.excluded ?? 0n),
  }))
}

/** An inactive model of fees charges none, so that a payment that is tried needs no more cover. */
async function activate(
  { models, db }: TestScheme,
  name: string,
  isActive: boolean,
): Promise<void> {
  const { refusal } = await models.UpdateSettlementModel({ name, isActive, actor: 'ada' })
  if (refusal) throw new Error(refusal.detail)
  await eventually(
    async () => (await db.query(pendingPushes, [])).length === 0 || undefined,
    `the ledger knows whether ${name} is active`,
  )
}

const pendingPushes = statement('select model_id from account_openings')

async function abort({ settlements }: TestScheme, { id }: Settlement): Promise<void> {
  const request = { settlementId: id, explanation: 'wrong', actor: 'ada' }
  const { settlement, refusal } = await settlements.AbortSettlement(request, patient)
  if (!settlement) throw new Error(refusal?.detail)
}

/** What each may send, by payments that are tried, and how much of its cover is excluded. */
async function roomsOf(played: Played): Promise<readonly Room[]> {
  const { scheme, currency, fees } = played
  const liquidity = scheme.parts.grpc.client(liquidityService, 'participant-lifecycle')
  const rooms = await Promise.all(
    fsps.map(async (name) => {
      const { position } = await liquidity.GetCurrentLiquidityPosition({ name, currency })
      const [room, excluded] = [position?.available, position?.excluded].map((text = '') =>
        parseDecimal(text),
      )
      if (room === undefined || excluded === undefined) throw new Error(`${name} has no cover`)
      return { room, excluded }
    }),
  )
  if (fees !== null) await activate(scheme, fees, false)
  await tryPayments(played, rooms)
  if (fees !== null) await activate(scheme, fees, true)
  return rooms
}

/** A payment of the whole room is reserved, and one unit more is refused for its bound. */
async function tryPayments(
  { scheme: { ledger }, currency, modelId, settles }: Played,
  rooms: readonly Room[],
): Promise<void> {
  const expiresAt = new Date(Date.now() + 600_000).toISOString()
  const items = rooms.flatMap(({ room }, at) =>
    [room + 1n, room].map((amount) => ({
      transferId: randomUUID(),
      payerFsp: fsps[at] ?? '',
      payeeFsp: fsps[(at + 1) % fsps.length] ?? '',
      amount: formatAmount(amount),
      currency,
      expiresAt,
      settlementModelId: modelId,
      settles,
      isBulkItem: false,
    })),
  )
  const { answers } = await ledger.ProcessTransferPrepare({ items }, patient)
  expect(answers.map(({ outcome, refusal }) => refusal ?? outcome)).toEqual(
    ['COVER_SHORT', 'COVER_SHORT', 'CAP_SHORT', 'CAP_SHORT'].flatMap((reason) => [
      reason,
      'RESERVED',
    ]),
  )
  const release = items.map(({ transferId }) => ({
    transferId,
    expiresAt,
    reason: 'REJECTED' as const,
    evidence: Buffer.alloc(0),
  }))
  await ledger.ProcessTransferRelease({ items: release }, patient)
}
