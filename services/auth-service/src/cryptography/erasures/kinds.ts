/**
 * The erasure of a month or of a person, which a second person approves. That of a month drops its key at
 * once; that of a person begins then. The audit log names no person.
 */
import type { ChangeKind } from '@causeway/approvals'
import type { Transaction } from '@causeway/postgres'
import { approvalKinds, refuse, type Refused } from '@causeway/services'
import { z } from 'zod'
import { isErasable, isMonth } from './domain/month.ts'
import { addPersonErasure, dropMonthKey, monthKeys } from './store.ts'

const monthContent = z.strictObject({
  month: z.string().refine(isMonth, { error: 'is not a month: 2026-08' }),
})

/** @param kept_months whole months after its end before a month may be erased */
export function monthErasureKind(kept_months: number): ChangeKind<z.infer<typeof monthContent>> {
  return {
    actions: { request: 'RequestErasure', decide: 'ApproveErasure' },
    content: monthContent,
    privilegeOf: () => approvalKinds.MonthErasure.privilege,
    subjectOf: (_, requestId) => `erasures/${requestId}`,
    auditedOf: ({ month }) => ({ kind: 'MONTH', month }),
    turnOf: ({ month }) => `month ${month}`,
    async apply(tx, { month }, { now }) {
      const fault = await monthFault(tx, month, now, kept_months)
      if (fault !== undefined) return fault
      await dropMonthKey(tx, month, now)
      return { type: 'DONE', before: null, after: { kind: 'MONTH', month }, replaces: null }
    },
  }
}

const identifier = z.string().min(1).max(128)

const personContent = z.strictObject({
  partyIdType: identifier,
  partyIdentifier: identifier,
  partySubId: identifier.optional(),
})

export const personErasureKind: ChangeKind<z.infer<typeof personContent>> = {
  actions: { request: 'RequestErasure', decide: 'ApproveErasure' },
  content: personContent,
  privilegeOf: () => approvalKinds.PersonErasure.privilege,
  subjectOf: (_, requestId) => `erasures/${requestId}`,
  auditedOf: () => ({ kind: 'PERSON' }),
  turnOf: () => null,
  async apply(tx, { partyIdType: type, partyIdentifier, partySubId = null }, { requestId }) {
    await addPersonErasure(tx, requestId, { type, identifier: partyIdentifier, subId: partySubId })
    return { type: 'DONE', before: null, after: { kind: 'PERSON' }, replaces: null }
  },
  // Whom it is about is stored with the erasure until it is finished, and of a rejected one nowhere.
  remains: () => ({}),
}

async function monthFault(
  tx: Transaction,
  month: string,
  now: Date,
  kept_months: number,
): Promise<Refused | undefined> {
  const [key] = await monthKeys(tx, [month])
  if (key === undefined) return refuse('MONTH_UNKNOWN', `there is no key of ${month}`)
  if (key.sealed === null) return refuse('MONTH_ERASED', `the key of ${month} is dropped`)
  if (isErasable(month, now, kept_months)) return undefined
  return refuse('MONTH_TOO_YOUNG', `${month} is kept for ${kept_months} months after its end`)
}
