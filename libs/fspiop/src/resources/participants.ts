/**
 * The bodies and the query of the participants resource: which FSP serves which party. FSPIOP 6.2.
 */
import { z } from 'zod'
import { errorInformationPart, extensionList } from '../bodies/complex.ts'
import {
  anyEnumeration,
  correlationId,
  currency,
  fspId,
  partyIdentifier,
  partySubIdOrType,
} from '../bodies/elements.ts'
import type { FaultCodes } from '../bodies/faults.ts'
import { type QueryReading, readQuery } from '../query.ts'

const partyList_max = 10_000

/** A PartyIdInfo of any type: an unknown type fails its own entry, not the whole list. */
const partyEntry = z.looseObject({
  partyIdType: anyEnumeration,
  partyIdentifier,
  partySubIdOrType: partySubIdOrType.optional(),
  fspId: fspId.optional(),
  extensionList: extensionList.optional(),
})

/** POST /participants, for many parties at once. */
export const postParticipants = z.compile(
  z.looseObject({
    requestId: correlationId,
    partyList: z.array(partyEntry).min(1).max(partyList_max),
    currency: currency.optional(),
  }),
)

/**
 * PUT /participants/{ID}: each requested entry, with errorInformation when it failed. Types are as
 * requested, known or not.
 */
export const putParticipantsBatch = z.compile(
  z.looseObject({
    partyList: z
      .array(
        z.looseObject({ partyId: partyEntry, errorInformation: errorInformationPart.optional() }),
      )
      .min(1)
      .max(partyList_max),
    currency: currency.optional(),
  }),
)

/** POST /participants/{Type}/{ID}[/{SubId}], for one party. */
export const postParticipant = z.compile(
  z.looseObject({
    fspId,
    currency: currency.optional(),
    extensionList: extensionList.optional(),
  }),
)

/** PUT /participants/{Type}/{ID}[/{SubId}]; without fspId the association was removed. */
export const putParticipant = z.compile(z.looseObject({ fspId: fspId.optional() }))

/** One currency or none. */
export const participantsQuery = z.compile(z.object({ currency: currency.optional() }))

export type ParticipantsQuery = z.infer<typeof participantsQuery>

/**
 * The query of GET and DELETE /participants/{Type}/{ID}[/{SubId}], without its "?". A currency that is
 * invalid or given twice is 3101.
 */
export function readParticipantsQuery(
  query: string,
  codes?: FaultCodes,
): QueryReading<ParticipantsQuery> {
  return readQuery(participantsQuery, query, codes)
}
