/**
 * What the messages of the Third-Party API share. They are judged less than those of the API itself: ids,
 * formats and what the hub acts on; lengths and lists of values are for the FSP that they are meant for,
 * since published bounds exclude real credentials. Third-Party API 1.0, data model.
 */
import { z } from 'zod'
import { anyEnumeration, anyText, fspId } from '../../elements.ts'
import { credentialStatus, credentialType } from '../../enumerations.ts'

/** Adds to a message that one of two members must be there; refused as 3102 at the first of them. */
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

/** Existing clients name the account by either member; challenges are made over the one received. */
const scope = z
  .looseObject({
    address: anyText.optional(),
    accountId: anyText.optional(),
    actions: z.array(anyText).min(1).max(32),
  })
  .refine(...atLeastOneOf('address', 'accountId'))

export const scopes = z.array(scope).min(1).max(256)

/** The payload stands under any of three names, by who writes it. */
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
  partyIdType: anyEnumeration,
  partyIdentifier: anyText,
  fspId: fspId.optional(),
})

export const party = z.looseObject({ partyIdInfo })

export const transactionType = z.looseObject({
  scenario: anyEnumeration,
  initiator: anyEnumeration,
  initiatorType: anyEnumeration,
})
