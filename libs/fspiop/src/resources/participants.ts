/**
 * The bodies and the query of the participants resource: which FSP serves which party. FSPIOP 6.2.
 */
import { z } from 'zod'
import { errorInformationPart, extensionList } from '../complex.ts'
import {
  anyEnumeration,
  correlationId,
  currency,
  fspId,
  partyIdentifier,
  partySubIdOrType,
} from '../elements.ts'
import type { FaultCodes } from '../faults.ts'
import { type QueryReading, readQuery } from '../query.ts'

const partyList_max = 10_000

/** A PartyIdInfo whose type may be any: an unknown one fails its own entry, not the whole list. */
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
 * PUT /participants/{ID}: each entry that was asked for, with errorInformation when it failed. The
 * types are the ones that were asked for, known or not.
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

/** PUT /participants/{Type}/{ID}[/{SubId}]; without fspId the association is gone. */
export const putParticipant = z.compile(z.looseObject({ fspId: fspId.optional() }))

/** One currency or none. */
export const participantsQuery = z.compile(z.object({ currency: currency.optional() }))

export type ParticipantsQuery = z.infer<typeof participantsQuery>

/**
 * The query of GET and DELETE /participants/{Type}/{ID}[/{SubId}], without its "?". A currency that is
 * none, or is given twice, is 3101.
 */
export function readParticipantsQuery(
  query: string,
  codes?: FaultCodes,
): QueryReading<ParticipantsQuery> {
  return readQuery(participantsQuery, query, codes)
}
