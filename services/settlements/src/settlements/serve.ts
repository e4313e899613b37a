/** Settlements over gRPC. */
import type { Handlers } from '@causeway/grpc'
import {
  orNull,
  type AccountUpdate,
  type Settlement,
  type SettlementAccount,
  type settlementsService,
} from '@causeway/protos'
import { timeIn } from '../proto-values.ts'
import { refuse, type Refused } from '../refusal.ts'
import { create, type CreatingParts } from './create.ts'
import type { Fault } from './domain/settlement.ts'
import { anySettlement, readSettlements } from './read-store.ts'
import { abort, updateAccounts, type SteppingParts } from './step.ts'

export interface SettlementServiceParts extends CreatingParts, SteppingParts {}

const updates_max = 10_000

export function settlementHandlers(
  parts: SettlementServiceParts,
): Handlers<typeof settlementsService> {
  const { db } = parts
  return {
    CreateSettlement: async (creation) => {
      const created = await create(parts, creation)
      if (created.type === 'REFUSE') return refusedWith(created)
      return settlementAnswer(parts, created.settlementId)
    },
    ListSettlements: async (query) => {
      const { settlements, nextBeforeId } = await readSettlements(db, {
        id: null,
        currency: orNull(query.currency),
        participantId: orNull(query.participantId),
        windowId: orNull(query.windowId),
        accountId: orNull(query.accountId),
        state: orNull(query.state),
        from: timeIn(query.from),
        to: timeIn(query.to),
        windowFrom: timeIn(query.windowFrom),
        windowTo: timeIn(query.windowTo),
        beforeId: orNull(query.beforeId),
        limit: query.limit <= 0 ? anySettlement.limit : Math.min(query.limit, anySettlement.limit),
      })
      return { settlements: [...settlements], nextBeforeId: nextBeforeId ?? 0 }
    },
    GetSettlement: ({ id }) => settlementAnswer(parts, id),
    UpdateSettlementAccounts: async ({ settlementId, accounts, actor }) => {
      if (accounts.length === 0 || accounts.length > updates_max) {
        return refusedWith(refuse('INVALID', `between 1 and ${updates_max} accounts are updated`))
      }
      const stepped = await updateAccounts(parts, settlementId, accounts, actor)
      if (stepped.type === 'REFUSE') return refusedWith(stepped)
      const answer = await settlementAnswer(parts, settlementId)
      return answer.settlement === null
        ? answer
        : { settlement: withFaults(answer.settlement, accounts, stepped.faults) }
    },
    AbortSettlement: async ({ settlementId, reason, externalReference, actor }) => {
      const aborted = await abort(parts, settlementId, { reason, externalReference }, actor)
      if (aborted.type === 'REFUSE') return refusedWith(aborted)
      return settlementAnswer(parts, settlementId)
    },
  }
}

async function settlementAnswer({ db }: SettlementServiceParts, id: number) {
  const { settlements } = await readSettlements(db, { ...anySettlement, id })
  const [settlement] = settlements
  return settlement === undefined
    ? refusedWith(refuse('SETTLEMENT_UNKNOWN', `there is no settlement ${id}`))
    : { settlement, refusal: null }
}

/** Adds each fault to its account; unknown accounts are listed after the settlement's own. */
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
      : { ...account, isUpdated, fault: faultMessage(fault) }
  })
  const strange = faults.filter(({ update }) => !own.some((account) => isAbout(update, account)))
  return { ...settlement, accounts: [...own, ...strange.map(strangeAccount)] }
}

function isAbout(
  { participantId, accountId }: AccountUpdate,
  account: Pick<SettlementAccount, 'participantId' | 'accountId'>,
): boolean {
  return account.accountId === accountId && account.participantId === participantId
}

function faultMessage({ reason, detail }: Fault): { reason: string; detail: string } {
  return { reason, detail }
}

function strangeAccount(fault: Fault): SettlementAccount {
  const { participantId, accountId, state, reason, externalReference } = fault.update
  return {
    participantId,
    participant: '',
    accountId,
    currency: '',
    state,
    reason,
    externalReference,
    net: '',
    changedAt: '',
    isUpdated: true,
    fault: faultMessage(fault),
  }
}

function refusedWith({ reason, detail }: Refused) {
  return { refusal: { reason, detail }, settlement: null }
}
