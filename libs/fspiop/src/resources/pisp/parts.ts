/**
 * The types that messages of the Third-Party API share. Ids, formats, closed lists of values and the
 * members that the hub uses are validated. Lengths are left to the receiving FSP, since published bounds
 * exclude real credentials; so are the actions of a scope, which DFSPs define. Third-Party API 1.0, data
 * model.
 */
import { z } from 'zod'
import { anyText, fspId } from '../../bodies/elements.ts'
import {
  credentialStatus,
  credentialType,
  partyIdType,
  transactionInitiator,
  transactionInitiatorType,
  transactionScenario,
} from '../../bodies/enumerations.ts'

/** Requires one of two members; refused as 3102 at the first of them. */
export function atLeastOneOf<Name extends string>(one: Name, other: Name) {
  const isThere = (value: Readonly<Partial<Record<Name, unknown>>>) =>
    value[one] !== undefined || value[other] !== undefined
  const fault: { path: string[]; error: string; params: Record<string, string> } = {
    path: [one],
    error: `missing, and so is ${other}`,
    params: { errorCode: '3102', mojaloopCode: '3102' },
  }
  return [isThere, fault] as const
}

/** Existing clients use either member for the account; challenges cover the one received. */
const scope = z
  .looseObject({
    address: anyText.optional(),
    accountId: anyText.optional(),
    actions: z.array(anyText).min(1).max(32),
  })
  .refine(...atLeastOneOf('address', 'accountId'))

export const scopes = z.array(scope).min(1).max(256)

/** The payload has any of three names, depending on the client. */
export const credential = z.looseObject({
  credentialType,
  status: credentialStatus,
  payload: z.looseObject({}).optional(),
  fidoPayload: z.looseObject({}).optional(),
  genericPayload: z.looseObject({}).optional(),
})

export const signedPayload = z.looseObject({
  signedPayloadType: credentialType,
  fidoSignedPayload: z.looseObject({}).optional(),
  genericSignedPayload: anyText.optional(),
})

export const partyIdInfo = z.looseObject({
  partyIdType,
  partyIdentifier: anyText,
  fspId: fspId.optional(),
})

export const party = z.looseObject({ partyIdInfo })

export const transactionType = z.looseObject({
  scenario: transactionScenario,
  initiator: transactionInitiator,
  initiatorType: transactionInitiatorType,
})
