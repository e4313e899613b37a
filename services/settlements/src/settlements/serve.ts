/** Settlements over gRPC. */
import type { Handlers } from '@causeway/grpc'
import type {
  AccountUpdate,
  Settlement,
  SettlementAccount,
  settlementsService,
  StepEffect,
  UnknownAccount,
} from '@causeway/protos'
import { modelFor } from '../allocation.ts'
import type { Model } from '../models/domain/model.ts'
import { timeIn } from '../proto-values.ts'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import { create, type CreatingParts } from './create.ts'
import { effectsOf } from './domain/effects.ts'
import type { Fault } from './domain/settlement.ts'
import { anySettlement, readSettlements } from './read-store.ts'
import { abort, updateAccounts, type SteppingParts } from './step.ts'

export interface SettlementServiceParts extends CreatingParts, SteppingParts {
  readonly models: () => Promise<readonly Model[]>
}

const updates_max = 10_000

export function settlementHandlers(
  parts: SettlementServiceParts,
): Handlers<typeof settlementsService> {
  const { db } = parts
  return {
    CreateSettlement: async ({ explanation: reason, ...creation }) => {
      const created = await create(parts, { ...creation, reason })
      if (created.type === 'REFUSE') return refusedWith(created)
      return settlementAnswer(parts, created.settlementId)
    },
    ListSettlements: async (query) => {
      const { settlements, nextBeforeId } = await readSettlements(db, {
        id: null,
        currency: query.currency ?? null,
        participantId: query.participantId ?? null,
        windowId: query.windowId ?? null,
        accountId: query.accountId ?? null,
        state: query.state ?? null,
        from: timeIn(query.from),
        to: timeIn(query.to),
        windowFrom: timeIn(query.windowFrom),
        windowTo: timeIn(query.windowTo),
        beforeId: query.beforeId ?? null,
        limit: Math.min(query.limit ?? anySettlement.limit, anySettlement.limit),
      })
      return { settlements: [...settlements], nextBeforeId: nextBeforeId ?? undefined }
    },
    GetSettlement: ({ id }) => settlementAnswer(parts, id),
    UpdateSettlementAccounts: async ({ settlementId, accounts, actor }) => {
      if (accounts.length === 0 || accounts.length > updates_max) {
        return refusedWith(refuse('INVALID', `between 1 and ${updates_max} accounts are updated`))
      }
      const updates = accounts.map(updateOf)
      const stepped = await updateAccounts(parts, settlementId, updates, actor)
      if (stepped.type === 'REFUSE') return refusedWith(stepped)
      const answer = await settlementAnswer(parts, settlementId)
      return answer.settlement === null
        ? answer
        : { settlement: withFaults(answer.settlement, accounts, stepped.faults) }
    },
    AbortSettlement: async ({ settlementId, actor, ...message }) => {
      const { explanation: reason, externalReference = '' } = message
      const aborted = await abort(parts, settlementId, { reason, externalReference }, actor)
      if (aborted.type === 'REFUSE') return refusedWith(aborted)
      return settlementAnswer(parts, settlementId)
    },
  }
}

async function settlementAnswer(parts: SettlementServiceParts, id: number) {
  const { settlements } = await readSettlements(parts.db, { ...anySettlement, id })
  const [settlement] = settlements
  if (settlement === undefined) {
    return refusedWith(refuse('SETTLEMENT_UNKNOWN', `there is no settlement ${id}`))
  }
  const stepEffects = effectsUnder(await parts.models(), settlement.model, parts.excludesUnpaid)
  return { settlement: { ...settlement, stepEffects }, refusal: null }
}

/** Payments are covered as the model of positions names it that is in force for the currency. */
function effectsUnder(
  models: readonly Model[],
  name: string,
  excludesUnpaid: boolean,
): StepEffect[] {
  const model = models.find((one) => one.name === name)
  if (model === undefined) throw new Error(`settlement model ${name} is gone`)
  const coverType = modelFor(models, model.currency)?.settlementAccountType ?? 'SETTLEMENT'
  return effectsOf({ ...model, excludesUnpaid }, coverType).map(
    ({ state, owing, owed, awaitsFundsOut }) => ({
      state,
      owingCover: owing.cover,
      owingNetDebitCap: owing.netDebitCap,
      owedCover: owed.cover,
      owedNetDebitCap: owed.netDebitCap,
      awaitsFundsOut,
    }),
  )
}

function updateOf({ explanation: reason, externalReference = '', ...update }: AccountUpdate) {
  return { ...update, reason, externalReference }
}

/** Adds each fault to its account; unknown accounts are listed beside the settlement's own. */
function withFaults(
  settlement: Settlement,
  updates: readonly AccountUpdate[],
  faults: readonly Fault[],
): Settlement {
  const named = new Set(updates.map(({ accountId }) => accountId))
  const own = settlement.accounts.map((account) => {
    const isUpdated = named.has(account.accountId)
    const fault = faults.find(({ update }) => isAbout(update, account))
    return fault === undefined
      ? { ...account, isUpdated }
      : { ...account, isUpdated, fault: faultOf(fault) }
  })
  const strange = faults.filter(({ update }) => !own.some((account) => isAbout(update, account)))
  return { ...settlement, accounts: own, unknownAccounts: strange.map(unknownAccount) }
}

function isAbout(
  { participantId, accountId }: Fault['update'],
  account: Pick<SettlementAccount, 'participantId' | 'accountId'>,
): boolean {
  return account.accountId === accountId && account.participantId === participantId
}

function faultOf({ reason, detail }: Fault) {
  return { reason, detail }
}

function unknownAccount(fault: Fault): UnknownAccount {
  const { participantId, accountId } = fault.update
  return { participantId, accountId, fault: faultOf(fault) }
}

function refusedWith({ reason, detail }: RefusedCommand) {
  return { refusal: { reason, detail }, settlement: null }
}
