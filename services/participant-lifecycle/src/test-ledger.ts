/**
 * What integration tests stand on: the whole service on a real database, spoken to over gRPC, with a
 * peer in the place of settlements, and a connection to look and meddle from outside.
 */
import { randomUUID } from 'node:crypto'
import { formatAmount } from '@causeway/money'
import {
  ledgerService,
  participantsService,
  settlementModelsService,
  type FulfilItem,
  type LedgerAnswer,
  type PrepareItem,
  type Refusal,
  type ReleaseItem,
  type SettlementModel,
} from '@causeway/protos'
import { statement, type Calls, type Database, type Service } from '@causeway/runtime'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { start } from './service.ts'
import type { Settings } from './settings.ts'

export const deferredNet: SettlementModel = {
  id: 1,
  name: 'DEFERREDNET',
  isActive: true,
  granularity: 'NET',
  interchange: 'MULTILATERAL',
  delay: 'DEFERRED',
  currency: 'USD',
  requireLiquidityCheck: true,
  ledgerAccountType: 'POSITION',
  settlementAccountType: 'SETTLEMENT',
  autoPositionReset: true,
}

const settings: Settings = {
  PARTICIPANT_LIFECYCLE_DATABASE_URL: '',
  PARTICIPANT_LIFECYCLE_CONNECTIONS: 4,
  LEDGER_BATCH_MAX: 200,
  EXPIRY_GRACE_MS: 1_000,
  HUB_NAME: 'Hub',
  COMPATIBILITY: 'specification',
}

export interface TestLedger {
  readonly parts: TestParts
  readonly ledger: Calls<typeof ledgerService>
  readonly participants: Calls<typeof participantsService>
  /** The service's schema from outside. */
  readonly database: Database
  /** The models that the peer in the place of settlements answers with. */
  readonly models: SettlementModel[]
  /** Any statement without parameters. */
  sql<Row = unknown>(text: string): Promise<readonly Row[]>
  /** Kills the process and starts it anew on the same database. */
  restart(): Promise<TestLedger>
  stop(): Promise<void>
}

export async function openTestLedger(changes: Partial<Settings> = {}): Promise<TestLedger> {
  return openOn(await openTestParts(), [{ ...deferredNet }], { ...settings, ...changes })
}

async function openOn(
  parts: TestParts,
  models: SettlementModel[],
  all: Settings,
): Promise<TestLedger> {
  parts.grpc.serve(settlementModelsService, {
    GetSettlementModels: ({ currency }) =>
      Promise.resolve({
        models: models.filter((model) => currency === '' || model.currency === currency),
      }),
    CreateSettlementModel: () => Promise.reject(new Error('this peer answers questions alone')),
  })
  const service: Service = await start(all, parts)
  const database = await parts.openDatabase({
    url: '',
    schema: 'participant_lifecycle',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max: 2,
  })
  return {
    parts,
    models,
    database,
    ledger: parts.grpc.client(ledgerService, 'participant-lifecycle'),
    participants: parts.grpc.client(participantsService, 'participant-lifecycle'),
    sql: (text) => database.query(statement(text), []),
    async restart() {
      const fresh = await parts.restart()
      await service.stop()
      return openOn(fresh, models, all)
    },
    async stop() {
      await service.stop()
      await database.close()
      await parts.stop()
    },
  }
}

/** The hub's accounts in a currency. */
export async function openHubAccounts(
  { participants }: TestLedger,
  currency = 'USD',
): Promise<void> {
  for (const ledgerAccountType of ['HUB_RECONCILIATION', 'HUB_MULTILATERAL_SETTLEMENT']) {
    const account = { name: 'Hub', currency, ledgerAccountType, createdBy: 'operator' }
    succeeded(await participants.CreateHubAccount(account))
  }
}

/** An active participant with a net debit cap and, unless it is '0', a deposit. */
export async function onboard(
  { participants }: TestLedger,
  name: string,
  cap = '600',
  deposit = '1000',
): Promise<void> {
  const currency = 'USD'
  const limit = { type: 'NET_DEBIT_CAP', value: cap, alarmPercentage: '' }
  succeeded(await participants.CreateParticipant({ name, currency, createdBy: 'operator' }))
  succeeded(
    await participants.SetInitialPositionAndLimits({ name, currency, limit, initialPosition: '' }),
  )
  succeeded(await participants.UpdateParticipantState({ name, isActive: true }))
  if (deposit !== '0') succeeded(await depositTo(participants, name, deposit))
}

/** Funds in, with a new id unless one is given. */
export async function depositTo(
  participants: Calls<typeof participantsService>,
  name: string,
  amount: string,
  transferId: string = randomUUID(),
): Promise<{ readonly refusal?: Refusal | null }> {
  const { balances } = await participants.RequestAccountsPositions({ name, currency: 'USD' })
  const account = balances?.accounts.find((one) => one.ledgerAccountType === 'SETTLEMENT')
  return participants.ManageFundsCreditDebitPairInstruction({
    transferId,
    name,
    accountId: account?.id ?? 0,
    kind: 'DEPOSIT',
    amount,
    currency: 'USD',
    externalReference: 'bank 1',
    reason: 'liquidity',
    extensionList: Buffer.alloc(0),
  })
}

/** The command was not refused; gives its answer back. */
export function succeeded<Answer extends { readonly refusal?: { detail: string } | null }>(
  answer: Answer,
): Answer {
  if (answer.refusal) throw new Error(answer.refusal.detail)
  return answer
}

/** A prepare from greenbank to bluewallet, unless told otherwise. */
export function prepareItem(changes: Partial<PrepareItem> = {}): PrepareItem {
  return {
    transferId: randomUUID(),
    payerFsp: 'greenbank',
    payeeFsp: 'bluewallet',
    amount: '1',
    currency: 'USD',
    expiresAt: inFuture(60_000),
    settlementModelId: 1,
    settles: 'NET',
    payerAccountId: 0,
    payeeAccountId: 0,
    ...changes,
  }
}

export function fulfilItem(transferId: string, changes: Partial<FulfilItem> = {}): FulfilItem {
  return { transferId, receivedAt: inFuture(0), evidence: Buffer.from('fulfilled'), ...changes }
}

export function releaseItem(transferId: string, changes: Partial<ReleaseItem> = {}): ReleaseItem {
  const evidence = Buffer.from('refused')
  return { transferId, expiresAt: inFuture(60_000), reason: 'REJECTED', evidence, ...changes }
}

export function inFuture(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}

export async function prepare(
  { ledger }: TestLedger,
  ...items: readonly PrepareItem[]
): Promise<readonly LedgerAnswer[]> {
  return (await ledger.ProcessTransferPrepare({ items: [...items] })).answers
}

export async function fulfil(
  { ledger }: TestLedger,
  ...items: readonly FulfilItem[]
): Promise<readonly LedgerAnswer[]> {
  return (await ledger.ProcessTransferFulfil({ items: [...items] })).answers
}

export async function release(
  { ledger }: TestLedger,
  ...items: readonly ReleaseItem[]
): Promise<readonly LedgerAnswer[]> {
  return (await ledger.ProcessTransferRelease({ items: [...items] })).answers
}

/** RESERVED, POSTED … or the reason, where there is one. */
export function wordsOf(answers: readonly LedgerAnswer[]): readonly string[] {
  return answers.map(({ outcome, reason }) => (reason === '' ? outcome : `${outcome} ${reason}`))
}

/** The value of an account as an operator reads it. */
export async function valueOf(
  { participants }: TestLedger,
  name: string,
  type: string,
): Promise<string | undefined> {
  const { balances } = await participants.RequestAccountsPositions({ name, currency: 'USD' })
  return balances?.accounts.find((one) => one.ledgerAccountType === type)?.value
}

export async function differencesIn({ ledger }: TestLedger): Promise<readonly string[]> {
  return (await ledger.VerifyLedger({}, { deadline_ms: 60_000 })).differences
}

/** Sets a balance as no operator can: the deposit of an account, whatever its size. */
export async function plantDeposit(hub: TestLedger, name: string, units: bigint): Promise<void> {
  await hub.sql(`update accounts set credits_posted = ${units} where type = 'SETTLEMENT'
    and participant_id = (select id from participants where name = '${name}')`)
}

export function decimal(units: bigint): string {
  return formatAmount(units)
}
