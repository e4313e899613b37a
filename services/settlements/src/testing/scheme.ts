/**
 * The fixture of integration tests of settlements: the service with the real ledger on a real
 * database, and FSPs that pay each other as the transfers service would make them.
 */
import { randomUUID } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import type { OutgoingMessage } from '@causeway/bus'
import { newEvent, type Payload } from '@causeway/events'
import type { Calls, Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { Outage, type Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import {
  ledgerService,
  participantsService,
  quotesService,
  settlementModelsService,
  settlementReportsService,
  settlementsService,
  settlementWindowsService,
  thirdPartyTransactionsService,
  transfersService,
  type LedgerAnswer,
  type ModelCreation,
  type RequestedQuote,
  type Settlement,
  type SettlementAccountState,
  type SettlementKind,
  type SettlementWindow,
  type ThirdPartySummary,
  type KnownTransfer,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { start } from '../service.ts'
import { settings, type SettlementsSettings } from '../settings.ts'

export const patient = { deadline_ms: 30_000 }

export interface SchemePayment {
  readonly payer: string
  readonly payee: string
  readonly amount: string
  readonly currency?: string
  readonly modelId: number
  readonly settles?: SettlementKind
}

export interface TestScheme {
  readonly parts: TestParts
  readonly ledger: Calls<typeof ledgerService>
  readonly participants: Calls<typeof participantsService>
  readonly models: Calls<typeof settlementModelsService>
  readonly windows: Calls<typeof settlementWindowsService>
  readonly settlements: Calls<typeof settlementsService>
  readonly reports: Calls<typeof settlementReportsService>
  /** The schema of settlements, to take single steps on. */
  readonly db: Database
  /** Kills the process and starts it again on the same database. */
  restart(): Promise<TestScheme>
  stop(): Promise<void>
}

export interface SchemeOptions {
  /** Starts the real ledger. */
  readonly startLedger: (parts: TestParts) => Promise<Service>
  readonly changes?: Partial<SettlementsSettings>
  /** In force from the next start on. */
  readonly bounds?: { finish_every_ms: number }
  /** The transaction requests of transfers; none by default. */
  readonly requested?: SubstituteData
  /** Prepares the process before the services start. */
  readonly prepare?: (parts: TestParts) => void
}

/** The data of the substitutes for transfers, quoting and auth-service. */
export interface SubstituteData {
  readonly transfers: KnownTransfer[]
  readonly quotes: RequestedQuote[]
  readonly transactions: ThirdPartySummary[]
  /** The substitute for auth-service does not answer. */
  isAway?: boolean
}

function serveRequested(
  { grpc }: TestParts,
  requested: SubstituteData = { transfers: [], quotes: [], transactions: [] },
): void {
  const { transfers, quotes, transactions } = requested
  grpc.serve(transfersService, {
    ...notAsked(transfersService),
    GetTransferStates: ({ ids }) =>
      Promise.resolve({ transfers: transfers.filter(({ id }) => ids.includes(id)) }),
  })
  grpc.serve(quotesService, {
    ...notAsked(quotesService),
    FindRequestedQuotes: ({ conditions }) =>
      Promise.resolve({
        quotes: quotes.filter(({ condition = '' }) => conditions.includes(condition)),
      }),
  })
  grpc.serve(thirdPartyTransactionsService, {
    ...notAsked(thirdPartyTransactionsService),
    SearchThirdPartyTransactions({ limit }) {
      if (requested.isAway === true) return Promise.reject(new Outage('the database is away'))
      return Promise.resolve({ transactions: transactions.slice(0, limit) })
    },
    FindThirdPartyTransactions({ transactionRequestIds: ids }) {
      if (requested.isAway === true) return Promise.reject(new Outage('the database is away'))
      const found = transactions.filter(({ transactionRequestId: id }) => ids.includes(id))
      return Promise.resolve({ transactions: found })
    },
  })
}

function notAsked<Definition extends object>(service: Definition): Handlers<Definition> {
  const refuse = () => Promise.reject(new Error('settlements does not call this'))
  const methods = Object.keys(service).map((name) => [name, refuse])
  return Object.fromEntries(methods) as Handlers<Definition>
}

export async function openTestScheme(options: SchemeOptions): Promise<TestScheme> {
  return openOn(await openTestParts(), options)
}

async function openOn(parts: TestParts, options: SchemeOptions): Promise<TestScheme> {
  options.prepare?.(parts)
  serveRequested(parts, options.requested)
  const services = [
    await options.startLedger(parts),
    await start(
      { ...defaultsOf(settings), ...options.changes },
      parts,
      options.bounds?.finish_every_ms,
    ),
  ]
  const db = await parts.openDatabase({
    url: '',
    ...schemaOf('settlements'),
    connections_max: 2,
  })
  const stopServices = async () => {
    for (const service of services.toReversed()) await service.stop()
  }
  return {
    parts,
    ledger: parts.grpc.client(ledgerService, 'participant-lifecycle'),
    participants: parts.grpc.client(participantsService, 'participant-lifecycle'),
    models: parts.grpc.client(settlementModelsService, 'settlements'),
    windows: parts.grpc.client(settlementWindowsService, 'settlements'),
    settlements: parts.grpc.client(settlementsService, 'settlements'),
    reports: parts.grpc.client(settlementReportsService, 'settlements'),
    db,
    async restart() {
      const fresh = await parts.restart()
      await stopServices()
      return openOn(fresh, options)
    },
    async stop() {
      await stopServices()
      await db.close()
      await parts.stop()
    },
  }
}

const deferredNet: ModelCreation = {
  name: 'DEFERREDNET',
  granularity: 'NET',
  interchange: 'MULTILATERAL',
  delay: 'DEFERRED',
  currency: 'USD',
  requireLiquidityCheck: true,
  ledgerAccountType: 'POSITION',
  autoPositionReset: true,
}

export async function addModel(
  { models }: TestScheme,
  changes: Partial<ModelCreation> = {},
): Promise<number> {
  const { model, refusal } = await models.CreateSettlementModel({ ...deferredNet, ...changes })
  if (!model) throw new Error(refusal?.detail)
  return model.id
}

/** The hub's accounts in a currency. */
export async function openHub({ participants }: TestScheme, currency = 'USD'): Promise<void> {
  for (const ledgerAccountType of ['HUB_RECONCILIATION', 'HUB_MULTILATERAL_SETTLEMENT']) {
    const account = { name: 'Hub', currency, ledgerAccountType, createdBy: 'operator' }
    done(await participants.CreateHubAccount(account))
  }
}

export interface Funding {
  readonly cap: string
  readonly position: string
  readonly deposit: string
  /** The account of the deposit. */
  readonly type: string
}

const rich: Funding = { cap: '10000000', position: '0', deposit: '10000000', type: 'SETTLEMENT' }

/** Active, with an address, a net debit cap of 10,000,000 and as much on deposit, unless given. */
export async function addFsp(
  scheme: TestScheme,
  name: string,
  currency = 'USD',
  funding: Partial<Funding> = {},
): Promise<void> {
  const { participants } = scheme
  const { cap, position: initialPosition, deposit: amount, type } = { ...rich, ...funding }
  const limit = { type: 'NET_DEBIT_CAP', value: cap }
  done(await participants.CreateParticipant({ name, currency, createdBy: 'operator' }))
  done(await participants.SetInitialPositionAndLimits({ name, currency, limit, initialPosition }))
  const address = { type: 'FSPIOP_CALLBACK_URL', value: `https://${name}.example` }
  done(await participants.UpdateEndpoint({ name, ...address, createdBy: 'operator' }))
  done(await participants.UpdateParticipantState({ name, isActive: true }))
  await deposit(scheme, name, amount, { currency, type })
}

export async function deposit(
  scheme: TestScheme,
  name: string,
  amount: string,
  { currency, type }: { readonly currency: string; readonly type: string },
): Promise<void> {
  done(
    await scheme.participants.ManageFundsCreditDebitPairInstruction({
      transferId: randomUUID(),
      name,
      accountId: await accountOf(scheme, name, type, currency),
      kind: 'DEPOSIT',
      amount,
      currency,
      externalReference: 'bank 1',
      explanation: 'liquidity',
    }),
  )
}

function done({ refusal }: { readonly refusal?: { readonly detail: string } | null }): void {
  if (refusal) throw new Error(refusal.detail)
}

async function accountsOf({ participants }: TestScheme, name: string, currency: string) {
  const { balances } = await participants.RequestAccountsPositions({ name, currency })
  return balances?.accounts ?? []
}

export async function accountOf(
  scheme: TestScheme,
  name: string,
  type: string,
  currency = 'USD',
): Promise<number> {
  const accounts = await accountsOf(scheme, name, currency)
  return accounts.find((account) => account.ledgerAccountType === type)?.id ?? 0
}

/** The value of an account as an operator reads it. */
export async function valueOf(
  scheme: TestScheme,
  name: string,
  type: string,
  currency = 'USD',
): Promise<string | undefined> {
  const accounts = await accountsOf(scheme, name, currency)
  return accounts.find((account) => account.ledgerAccountType === type)?.value
}

/** Reserves and posts them in the ledger, and publishes the events of transfers. */
export async function pay(
  scheme: TestScheme,
  ...payments: readonly SchemePayment[]
): Promise<readonly LedgerAnswer[]> {
  const answers = await commit(scheme, payments)
  await announce(
    scheme,
    answers.map((answer, at) => committed(answer, payments[at])),
  )
  return answers
}

/** Posts them without publishing events. */
export async function commit(
  { ledger }: TestScheme,
  payments: readonly SchemePayment[],
): Promise<readonly LedgerAnswer[]> {
  const expiresAt = new Date(Date.now() + 600_000).toISOString()
  const items = payments.map((payment) => ({
    transferId: randomUUID(),
    payerFsp: payment.payer,
    payeeFsp: payment.payee,
    amount: payment.amount,
    currency: payment.currency ?? 'USD',
    expiresAt,
    settlementModelId: payment.modelId,
    settles: payment.settles ?? 'NET',
    isBulkItem: false,
  }))
  await ledger.ProcessTransferPrepare({ items }, patient)
  const receivedAt = new Date().toISOString()
  const { answers } = await ledger.ProcessTransferFulfil(
    {
      items: items.map(({ transferId }) => ({
        transferId,
        receivedAt,
        evidence: Buffer.from('fulfilled'),
      })),
    },
    patient,
  )
  const wrong = answers.find(({ outcome }) => outcome !== 'POSTED')
  if (wrong !== undefined) throw new Error(`${wrong.outcome} ${wrong.refusal ?? wrong.voidReason}`)
  return answers
}

export function announce({ parts }: TestScheme, events: readonly OutgoingMessage[]): Promise<void> {
  return parts.bus.publish(events)
}

/** The event of a transfer that the ledger has posted. */
export function committed(
  answer: LedgerAnswer,
  payment: SchemePayment | undefined,
): OutgoingMessage {
  if (payment === undefined) throw new Error('there is no payment for this answer')
  const positions = [answer.payerPosition, answer.payeePosition].flatMap((position) =>
    position === null ? [] : [position],
  )
  const payload: Payload<'TransferCommittedFulfiled'> = {
    transferId: answer.transferId,
    payerFsp: payment.payer,
    payeeFsp: payment.payee,
    payerVersion: '1.1',
    payeeVersion: '1.1',
    amount: { amount: payment.amount, currency: payment.currency ?? 'USD' },
    fulfilment: 'fulfilment',
    completedTimestamp: '2026-01-01T00:00:00.000Z',
    settlementModelId: payment.modelId,
    settles: payment.settles ?? 'NET',
    settlementWindowId: answer.windowId,
    notifyPayee: false,
    receivedAt: new Date(Date.now() - 120).toISOString(),
    fulfiledAt: new Date().toISOString(),
    positions,
  }
  return newEvent('transfers', 'TransferCommittedFulfiled', payload)
}

export async function openWindow({ windows }: TestScheme): Promise<number> {
  const found = await windows.ListSettlementWindows({ state: 'OPEN' })
  return found.windows[0]?.id ?? 0
}

/** Closes the window that is open, and waits for all its lines. */
export async function closeOpen(scheme: TestScheme): Promise<SettlementWindow> {
  const windowId = await openWindow(scheme)
  const request = { requestId: randomUUID(), windowId, explanation: 'end of day', actor: 'ada' }
  const { refusal } = await scheme.windows.CloseSettlementWindow(request, patient)
  if (refusal) throw new Error(refusal.detail)
  return untilState(scheme, windowId, 'CLOSED')
}

export function untilState(
  { windows }: TestScheme,
  id: number,
  state: string,
): Promise<SettlementWindow> {
  return eventually(
    async () => {
      const { window } = await windows.GetSettlementWindow({ id })
      return window?.state === state ? window : undefined
    },
    `window ${id} is ${state}`,
    30_000,
  )
}

export async function settle(
  { settlements }: TestScheme,
  windowIds: readonly number[],
  model = 'DEFERREDNET',
): Promise<Settlement> {
  const { settlement, refusal } = await settlements.CreateSettlement(
    {
      requestId: randomUUID(),
      model,
      explanation: 'daily',
      windowIds: [...windowIds],
      actor: 'ada',
    },
    patient,
  )
  if (!settlement) throw new Error(refusal?.detail)
  return settlement
}

/** Takes all accounts of the settlement to the state. */
export async function stepAll(
  { settlements }: TestScheme,
  { id, accounts }: Settlement,
  state: SettlementAccountState,
): Promise<Settlement> {
  const updates = accounts.map(({ participantId, accountId }) => ({
    participantId,
    accountId,
    state,
    explanation: state,
    externalReference: 'bank 7',
  }))
  const request = { settlementId: id, accounts: updates, actor: 'ada' }
  const { settlement, refusal } = await settlements.UpdateSettlementAccounts(request, patient)
  if (!settlement) throw new Error(refusal?.detail)
  return settlement
}

/** The differences found by verifying the ledger and settlements. */
export async function differencesIn({ ledger, reports }: TestScheme): Promise<readonly string[]> {
  const books = await ledger.VerifyLedger({}, { deadline_ms: 60_000 })
  const settled = await reports.VerifySettlements({}, { deadline_ms: 60_000 })
  return [...books.differences, ...settled.differences]
}
