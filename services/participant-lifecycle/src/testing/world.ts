/**
 * The fixture of integration tests: the whole service on a real database, called over gRPC, with a
 * substitute for settlements and a connection to inspect and change the database.
 */
import { schemaOf } from '@causeway/runtime'
import { approvalCalls, type ApprovalCalls } from '@causeway/approvals/testing'
import type { Calls } from '@causeway/grpc'
import { egressSettings } from '@causeway/http'
import { usualBounds, type LedgerBounds } from '@causeway/ledger'
import { statement, type Database } from '@causeway/postgres'
import type { Service } from '@causeway/process'
import { defaultsOf } from '@causeway/process/testing'
import {
  ledgerService,
  participantsService,
  settlementModelsService,
  type SettlementModel,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { start } from '../service.ts'
import type { ParticipantLifecycleSettings } from '../settings.ts'

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

const settings: ParticipantLifecycleSettings = {
  PARTICIPANT_LIFECYCLE_DATABASE_URL: '',
  PARTICIPANT_LIFECYCLE_COMPONENT_KEY_FILE: undefined,
  DATABASE_CONNECTIONS_MAX: 4,
  EXPIRY_GRACE_MS: 1_000,
  FUNDS_OUT_VALIDITY_S: 432_000,
  PARTICIPANT_STATES:
    'ACTIVE=TRANSFERS+FUNDS_IN+FUNDS_OUT;INACTIVE=;SUSPENDED=FUNDS_IN;CLOSED=FUNDS_OUT',
  COVER_PERCENT: 'fixed',
  AMOUNT_DECIMALS: 'four',
  ...defaultsOf(egressSettings),
  APPROVAL_LIFE_H: 72,
  EDGE_GATEWAY_SUBJECTS: '',
  ENDPOINT_CHECK: 'on',
  HUB_NAME: 'Hub',
  AUTH_SERVICE_PARTICIPANT: '',
  COMPATIBILITY: 'specification',
}

export interface ParticipantLifecycleWorld {
  readonly parts: TestParts
  readonly ledger: Calls<typeof ledgerService>
  readonly participants: Calls<typeof participantsService>
  /** Changes that two persons make. */
  readonly approvals: ApprovalCalls
  /** The service's schema from outside. */
  readonly database: Database
  /** The models that the substitute for settlements returns. */
  readonly models: SettlementModel[]
  /** Any statement without parameters. */
  sql<Row = unknown>(text: string): Promise<readonly Row[]>
  /** Kills the process and starts it again on the same database. */
  restart(): Promise<ParticipantLifecycleWorld>
  stop(): Promise<void>
}

/** No test waits for the sweep of funds, unless it asks for a short interval. */
const quietBounds: LedgerBounds = { ...usualBounds, fundsSweep_ms: 3_600_000 }

export async function openWorld(
  changes: Partial<ParticipantLifecycleSettings & LedgerBounds> = {},
): Promise<ParticipantLifecycleWorld> {
  return openOn(
    await openTestParts(),
    [{ ...deferredNet }],
    { ...settings, ...changes },
    { ...quietBounds, ...changes },
  )
}

async function openOn(
  parts: TestParts,
  models: SettlementModel[],
  all: ParticipantLifecycleSettings,
  bounds: LedgerBounds,
): Promise<ParticipantLifecycleWorld> {
  parts.grpc.serve(settlementModelsService, {
    GetSettlementModels: ({ currency }) =>
      Promise.resolve({
        models: models.filter((model) => currency === undefined || model.currency === currency),
      }),
    CreateSettlementModel: () => Promise.reject(new Error('this peer answers questions alone')),
    UpdateSettlementModel: () => Promise.reject(new Error('this peer answers questions alone')),
  })
  const service: Service = await start(all, parts, bounds)
  const database = await parts.openDatabase({
    url: '',
    ...schemaOf('participant-lifecycle'),
    connections_max: 2,
  })
  return {
    parts,
    models,
    database,
    ledger: parts.grpc.client(ledgerService, 'participant-lifecycle'),
    participants: parts.grpc.client(participantsService, 'participant-lifecycle'),
    approvals: approvalCalls(parts.grpc, 'participant-lifecycle'),
    sql: (text) => database.query(statement(text), []),
    async restart() {
      const fresh = await parts.restart()
      await service.stop()
      return openOn(fresh, models, all, bounds)
    },
    async stop() {
      await service.stop()
      await database.close()
      await parts.stop()
    },
  }
}

/** The value of an account as an operator reads it. */
export async function valueOf(
  { participants }: ParticipantLifecycleWorld,
  name: string,
  type: string,
): Promise<string | undefined> {
  const { balances } = await participants.RequestAccountsPositions({ name, currency: 'USD' })
  return balances?.accounts.find((one) => one.ledgerAccountType === type)?.value
}

export async function differencesIn({
  ledger,
}: ParticipantLifecycleWorld): Promise<readonly string[]> {
  return (await ledger.VerifyLedger({}, { deadline_ms: 60_000 })).differences
}

/** Sets the deposit of an account directly in the database, in any size. */
export async function setDeposit(
  hub: ParticipantLifecycleWorld,
  name: string,
  units: bigint,
): Promise<void> {
  await hub.sql(`update accounts set credits_posted = ${units} where type = 'SETTLEMENT'
    and participant_id = (select id from participants where name = '${name}')`)
}
