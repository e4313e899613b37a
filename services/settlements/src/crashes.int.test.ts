/**
 * Closing a window and stepping a settlement, stopped between any two of their steps: the process
 * loses all memory and starts again, and interrupted work is finished once.
 */
import { randomUUID } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import { settings as ledgerSettings, start as startLedger } from '@causeway/participant-lifecycle'
import { statement } from '@causeway/postgres'
import { defaultsOf, eventually } from '@causeway/process/testing'
import type { SettlementAccountState } from '@causeway/protos'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { abort, beginStep, finishStep, moveMoney, type SteppingParts } from './settlements/step.ts'
import { decideAbort, decideUpdate, type Settlement } from './settlements/domain/settlement.ts'
import { finishClosing } from './windows/close.ts'
import { askClosing, forgetClosing, type Closing } from './windows/store.ts'
import {
  addFsp,
  addModel,
  closeOpen,
  differencesIn,
  openHub,
  openTestScheme,
  openWindow,
  patient,
  pay,
  settle,
  stepAll,
  untilState,
  valueOf,
  type TestScheme,
} from './testing/scheme.ts'

let scheme: TestScheme
let modelId: number
let grossModelId: number
/** In force from the next start on. Steps that a test begins are not to be finished beside it. */
const bounds = { finish_every_ms: 3_600_000 }

beforeAll(async () => {
  scheme = await openTestScheme({
    startLedger: (parts) => startLedger(defaultsOf(ledgerSettings), parts),
    bounds,
  })
  await openHub(scheme)
  await openHub(scheme, 'EUR')
  modelId = await addModel(scheme)
  const gross = { granularity: 'GROSS', interchange: 'BILATERAL' } as const
  grossModelId = await addModel(scheme, { name: 'GROSS', currency: 'EUR', ...gross })
  for (const name of ['greenbank', 'bluewallet']) {
    await addFsp(scheme, name)
    await addFsp(scheme, name, 'EUR')
  }
})

afterAll(() => scheme.stop())

beforeEach(async () => {
  await pay(scheme, { payer: 'greenbank', payee: 'bluewallet', amount: '10', modelId })
})

afterEach(async () => {
  expect(await differencesIn(scheme)).toEqual([])
})

async function restart(): Promise<void> {
  await scheme.db.close()
  scheme = await scheme.restart()
}

describe('closing a window', () => {
  async function asked(): Promise<Closing> {
    const windowId = await openWindow(scheme)
    const request = { requestId: randomUUID(), windowId, reason: 'end', actor: 'ada' }
    const intent = await askClosing(scheme.db, request)
    if (intent.type !== 'CLOSING') throw new Error(intent.type)
    return intent.closing
  }

  async function isClosed({ requestId, windowId, nextWindowId }: Closing): Promise<void> {
    await untilState(scheme, windowId, 'CLOSED')
    expect(await openWindow(scheme)).toBe(nextWindowId)
    const request = { requestId, windowId, explanation: 'end', actor: 'ada' }
    const { window } = await scheme.windows.CloseSettlementWindow(request, patient)
    expect(window?.id).toBe(nextWindowId)
    // The ledger stamps with the same window that settlements has open.
    const [posted] = await pay(scheme, {
      payer: 'greenbank',
      payee: 'bluewallet',
      amount: '1',
      modelId,
    })
    expect(posted?.windowId).toBe(nextWindowId)
  }

  test('A closing that stopped before the ledger was called is finished by the next start', async () => {
    const closing = await asked()
    await restart()
    await isClosed(closing)
  })

  test('A closing that stopped after the ledger had rotated is finished with the same nets', async () => {
    const closing = await asked()
    const { requestId, windowId, nextWindowId } = closing
    const rotation = { requestId, windowId, nextWindowId }
    const { nets } = await scheme.ledger.RotateSettlementWindow(rotation, patient)
    await restart()
    await isClosed(closing)
    const { window } = await scheme.windows.GetSettlementWindow({ id: windowId })
    expect(window?.contents[0]?.nets.map(({ net }) => net)).toEqual(nets.map(({ net }) => net))
  })

  test('An interrupted closing is finished by the next request, and late lines still count', async () => {
    const closing = await asked()
    const { windowId } = closing
    const other = { requestId: randomUUID(), windowId, explanation: 'again', actor: 'ben' }
    const { refusal } = await scheme.windows.CloseSettlementWindow(other, patient)
    expect(refusal?.reason).toBe('WINDOW_NOT_OPEN')
    await isClosed(closing)
  })

  test.each([
    ['another request', () => randomUUID()],
    ['the same request again', ({ requestId }: Closing) => requestId],
  ])(
    'A closing that the ledger made after its intent was deleted is completed by %s',
    async (_, idOf) => {
      const closing = await asked()
      const { requestId, windowId, nextWindowId } = closing
      const rotation = { requestId, windowId, nextWindowId }
      // Two processes continue one intent: one got EMPTY, the other stopped before it stored.
      await scheme.ledger.RotateSettlementWindow(rotation, patient)
      await forgetClosing(scheme.db, closing)
      await restart()
      const request = { requestId: idOf(closing), windowId, explanation: 'again', actor: 'ben' }
      const { window } = await scheme.windows.CloseSettlementWindow(request, patient)
      expect(window?.id).toBe(nextWindowId)
      await isClosed({ ...closing, requestId: request.requestId })
    },
  )

  test('A closing that is stored after its intent was deleted is retained', async () => {
    const closing = await asked()
    await forgetClosing(scheme.db, closing)
    const { db, ledger } = scheme
    const closed = await finishClosing({ db, ledger, ...outside() }, closing)
    expect(closed).toMatchObject({ type: 'CLOSED', nextWindowId: closing.nextWindowId })
    await isClosed(closing)
  })
})

const transit = 'HUB_MULTILATERAL_SETTLEMENT'

/** A statement in the schema of the ledger. */
async function inLedger<Row = unknown>(text: string): Promise<readonly Row[]> {
  const db = await scheme.parts.openDatabase({
    url: '',
    ...schemaOf('participant-lifecycle'),
    connections_max: 1,
  })
  try {
    return await db.query<Row>(statement(text), [])
  } finally {
    await db.close()
  }
}

const outside = () => ({
  bus: scheme.parts.bus,
  log: scheme.parts.log,
  signal: new AbortController().signal,
})

describe('a step of a settlement', () => {
  const parts = (): SteppingParts => ({
    ...outside(),
    db: scheme.db,
    ledger: scheme.ledger,
    excludesUnpaid: false,
    underWay: new Map(),
  })

  /** Up to the step before: all its accounts are in this state. */
  async function settlementIn(...states: readonly SettlementAccountState[]) {
    const before = await valueOf(scheme, 'bluewallet', 'POSITION')
    const created = await settle(scheme, [(await closeOpen(scheme)).id])
    for (const state of states) await stepAll(scheme, created, state)
    return { created, before }
  }

  async function begin(id: number, state: SettlementAccountState) {
    const begun = await beginStep(parts(), id, (settlement) => ({
      type: 'STEP',
      step: { settlementId: id, actor: 'ada', aborted: null, ...stepTo(settlement, state) },
      faults: [],
    }))
    if (begun.type !== 'BEGUN') throw new Error(begun.type)
    return begun.step
  }

  function stepTo(settlement: Settlement, state: SettlementAccountState) {
    const decision =
      state === 'ABORTED'
        ? decideAbort(settlement, { reason: 'stop', externalReference: '' })
        : decideUpdate(
            settlement,
            settlement.accounts.map(({ participantId, accountId }) => ({
              participantId,
              accountId,
              state,
              reason: '',
              externalReference: '',
            })),
          )
    if (decision.type === 'ABORT') return { changes: decision.changes, state: 'ABORTED' } as const
    if (decision.type !== 'CHANGE') throw new Error(decision.type)
    return { changes: decision.changes, state: decision.state }
  }

  async function isIn(id: number, state: string): Promise<void> {
    await eventually(async () => {
      const { settlement } = await scheme.settlements.GetSettlement({ id })
      return settlement?.state === state ? settlement : undefined
    }, `settlement ${id} is ${state}`)
  }

  test.each([
    ['before the ledger was asked', false],
    ['after the money had moved', true],
  ])('A step that stopped %s is finished by the next start, once', async (_when, hasMoved) => {
    const { created } = await settlementIn('PS_TRANSFERS_RECORDED')
    const owed = await valueOf(scheme, 'bluewallet', 'POSITION')
    const step = await begin(created.id, 'PS_TRANSFERS_RESERVED')
    if (hasMoved) expect(await moveMoney(parts(), step)).toBeUndefined()
    await restart()
    await isIn(created.id, 'PS_TRANSFERS_RESERVED')
    const net = Number(
      created.accounts.find(({ participant }) => participant === 'bluewallet')?.net,
    )
    expect(Number(await valueOf(scheme, 'bluewallet', 'POSITION'))).toBe(Number(owed) - net)
    await stepAll(scheme, created, 'PS_TRANSFERS_COMMITTED')
    await stepAll(scheme, created, 'SETTLED')
    expect(await valueOf(scheme, 'Hub', 'HUB_MULTILATERAL_SETTLEMENT')).toBe('0')
  })

  test.each([
    ['before the ledger was asked', false],
    ['after the money had moved back', true],
  ])('An abort that stopped %s is finished by the next start, once', async (_when, hasMoved) => {
    const { created, before } = await settlementIn('PS_TRANSFERS_RECORDED', 'PS_TRANSFERS_RESERVED')
    const step = await begin(created.id, 'ABORTED')
    if (hasMoved) expect(await moveMoney(parts(), step)).toBeUndefined()
    await restart()
    await isIn(created.id, 'ABORTED')
    expect(await valueOf(scheme, 'bluewallet', 'POSITION')).toBe(before)
    expect(await valueOf(scheme, 'Hub', 'HUB_MULTILATERAL_SETTLEMENT')).toBe('0')
  })

  test('An interrupted step is finished by the next request, before the new step', async () => {
    const { created } = await settlementIn('PS_TRANSFERS_RECORDED')
    const step = await begin(created.id, 'PS_TRANSFERS_RESERVED')
    await moveMoney(parts(), step)
    const next = await stepAll(scheme, created, 'PS_TRANSFERS_COMMITTED')
    expect(next.state).toBe('PS_TRANSFERS_COMMITTED')
    expect(await valueOf(scheme, 'Hub', 'HUB_MULTILATERAL_SETTLEMENT')).toBe('0')
  })

  const missing = {
    outcome: 'ACCOUNT_MISSING' as const,
    detail: 'one is missing',
    positions: [],
    stepEnded: false,
  }

  test('A partly refused step is reported to every request, and finished once it can be', async () => {
    const how = { currency: 'EUR', modelId: grossModelId, settles: 'GROSS_DEFERRED' } as const
    const windowIds: number[] = []
    // The transfers of each window are posted by themselves.
    for (const amount of ['3', '4']) {
      await pay(scheme, { payer: 'greenbank', payee: 'bluewallet', amount, ...how })
      windowIds.push((await closeOpen(scheme)).id)
    }
    const created = await settle(scheme, windowIds, 'GROSS')
    for (const state of ['PS_TRANSFERS_RECORDED', 'PS_TRANSFERS_RESERVED'] as const) {
      await stepAll(scheme, created, state)
    }
    const step = await begin(created.id, 'PS_TRANSFERS_COMMITTED')
    let posted = 0
    const refusing: SteppingParts = {
      ...parts(),
      ledger: {
        PostSettlementEntries: (request, options) =>
          posted++ % 2 === 0
            ? scheme.ledger.PostSettlementEntries(request, options)
            : Promise.resolve(missing),
      },
    }
    expect(await finishStep(refusing, step)).toMatchObject({ reason: 'LEDGER_REFUSED' })
    const stopped = { reason: 'stop', externalReference: '' }
    expect(await abort(refusing, created.id, stopped, 'ada')).toMatchObject({
      type: 'REFUSE',
      reason: 'LEDGER_REFUSED',
    })
    expect((await stepAll(scheme, created, 'PS_TRANSFERS_COMMITTED')).state).toBe(
      'PS_TRANSFERS_COMMITTED',
    )
    expect(await valueOf(scheme, 'greenbank', 'POSITION', 'EUR')).toBe('0')
  })

  /** The hub's account against which positions are settled, or none under this type. */
  async function openTransit(isThere: boolean): Promise<void> {
    const [from, to] = isThere ? ['HUB_FEE', transit] : [transit, 'HUB_FEE']
    await inLedger(`update accounts set type = '${to}' where type = '${from}' and currency = 'USD'`)
  }

  test('A step refused before anything has moved is deleted, and moves nothing later', async () => {
    const { created, before } = await settlementIn('PS_TRANSFERS_RECORDED')
    const step = await begin(created.id, 'PS_TRANSFERS_RESERVED')
    await openTransit(false)
    const refused = { type: 'REFUSE', reason: 'LEDGER_REFUSED' }
    expect(await finishStep(parts(), step)).toMatchObject(refused)
    await openTransit(true)
    // Another process has read the step before it was forgotten.
    expect(await finishStep(parts(), step)).toMatchObject(refused)
    expect(await valueOf(scheme, 'bluewallet', 'POSITION')).toBe(before)
    const next = await stepAll(scheme, created, 'PS_TRANSFERS_RESERVED')
    expect(next.state).toBe('PS_TRANSFERS_RESERVED')
    const stopped = { reason: 'stop', externalReference: '' }
    expect(await abort(parts(), created.id, stopped, 'ada')).toMatchObject({ type: 'DONE' })
    expect(await valueOf(scheme, 'bluewallet', 'POSITION')).toBe(before)
  })

  test('A step that another process has posted is not ended by a refusal', async () => {
    const { created } = await settlementIn('PS_TRANSFERS_RECORDED')
    const step = await begin(created.id, 'PS_TRANSFERS_RESERVED')
    expect(await moveMoney(parts(), step)).toBeUndefined()
    await openTransit(false)
    expect(await finishStep(parts(), step)).toMatchObject({ reason: 'LEDGER_REFUSED' })
    await openTransit(true)
    expect(await finishStep(parts(), step)).toBeUndefined()
    await isIn(created.id, 'PS_TRANSFERS_RESERVED')
  })

  test('An unreadable step blocks no other settlement, and is retried', async () => {
    const [broken, other] = [await settlementIn(), await next()]
    const steps = [
      await begin(broken.created.id, 'PS_TRANSFERS_RECORDED'),
      await begin(other.created.id, 'PS_TRANSFERS_RECORDED'),
    ]
    const [kept] = await scheme.db.query<{ step: string }>(
      statement('select step::text as step from settlement_steps where id = $1'),
      [steps[0]?.stepId ?? ''],
    )
    const store = statement('update settlement_steps set step = $2::text::jsonb where id = $1')
    await scheme.db.query(store, [steps[0]?.stepId ?? '', '{}'])
    bounds.finish_every_ms = 200
    await restart()
    await isIn(other.created.id, 'PS_TRANSFERS_RECORDED')
    const { settlement } = await scheme.settlements.GetSettlement({ id: broken.created.id })
    expect(settlement?.state).toBe('PENDING_SETTLEMENT')
    await scheme.db.query(store, [steps[0]?.stepId ?? '', kept?.step ?? ''])
    await isIn(broken.created.id, 'PS_TRANSFERS_RECORDED')
    bounds.finish_every_ms = 3_600_000
    await restart()
  })

  async function next() {
    await pay(scheme, { payer: 'greenbank', payee: 'bluewallet', amount: '10', modelId })
    return settlementIn()
  }

  test('A step continues as it was decided, even if the setting has changed', async () => {
    const { created } = await settlementIn('PS_TRANSFERS_RECORDED', 'PS_TRANSFERS_RESERVED')
    const unpaid = () => inLedger<{ sum: string }>('select sum(unpaid) as sum from accounts')
    const [before] = await unpaid()
    const step = await begin(created.id, 'PS_TRANSFERS_COMMITTED')
    expect(await finishStep({ ...parts(), excludesUnpaid: true }, step)).toBeUndefined()
    expect(await unpaid()).toEqual([before])
  })
})
