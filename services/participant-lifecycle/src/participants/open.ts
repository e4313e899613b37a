/** Opens accounts with their limits in one transaction: all of them or none. */
import type { Announcer, Audited } from '@causeway/events'
import { unknownParticipant } from '@causeway/services'
import type { Transaction } from '@causeway/postgres'
import type { RefusedChange } from '../domain/refusal.ts'
import { applyChanges } from './apply.ts'
import { auditedChanges } from './audit.ts'
import { limitEach, openEach, type AccountWanted, type Models } from './domain/open.ts'
import { accountIn, type Participant } from './domain/participant.ts'
import { lockHub, lockOne } from './handle.ts'
import { accountsOfRequest, noteRequest } from './store.ts'

export interface Opening {
  readonly requestId: string
  readonly name: string
  readonly accounts: readonly AccountWanted[]
  readonly models: Models
  readonly createdBy: string
}

export type OpenedAccounts =
  | RefusedChange
  | {
      readonly type: 'DONE'
      /** In the order of the requested accounts. */
      readonly ids: readonly number[]
      readonly audited: Audited | null
    }

/** Idempotent by the id of the request. */
export async function openIn(
  tx: Transaction,
  bus: Announcer,
  hubName: string,
  { requestId, name, accounts, models, createdBy }: Opening,
): Promise<OpenedAccounts> {
  const hub = await lockHub(tx, hubName)
  const participant = name === hub.name ? hub : await lockOne(tx, name)
  if (participant === undefined) return unknownParticipant(name)
  const before = new Set(await accountsOfRequest(tx, participant.id, requestId))
  if (before.size > 0) {
    const ids = idsOf(participant, accounts)
    if (ids.every((id) => before.has(id))) return { type: 'DONE', ids, audited: null }
  }
  const decision = openEach(hub, participant, accounts, models, createdBy)
  if (decision.type === 'REFUSE') return decision
  const at = new Date()
  await applyChanges(bus, tx, [{ participant, changes: decision.changes }], at)
  const after = await lockOne(tx, name)
  if (after === undefined) throw new Error(`${name} does not exist after its change`)
  const limits = limitEach(after, accounts)
  await applyChanges(bus, tx, [{ participant: after, changes: limits }], at)
  const ids = idsOf(after, accounts)
  await noteRequest(tx, ids, requestId)
  const audited = auditedChanges(after, [...decision.changes, ...limits])
  return { type: 'DONE', ids, audited }
}

function idsOf(participant: Participant, accounts: readonly AccountWanted[]): readonly number[] {
  return accounts.map(({ type, currency }) => accountIn(participant, type, currency)?.id ?? 0)
}
