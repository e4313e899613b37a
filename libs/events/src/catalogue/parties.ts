/**
 * The owner of a party: the requests of FSPs to account-lookup, and its answers. A message that is
 * only forwarded (PUT /parties and its error) is no event: the edge has it delivered at once.
 */
import { z } from 'zod'
import { define } from './define.ts'
import { errorInformation, extensionList } from './parts.ts'

/** The party that a message is about. */
const party = {
  /** The percent-encoded type, identifier and sub id, joined by "/": the business id. */
  partyKey: z.string(),
  partyIdType: z.string(),
  partyIdentifier: z.string(),
  partySubIdOrType: z.string().optional(),
}

/** The requesting FSP, and the version of the answer. */
const asker = { requesterFspId: z.string(), version: z.string() }

const asked = {
  topic: 'fspiop-api.parties',
  publishers: ['fspiop-api'],
  consumers: ['account-lookup'],
  key: 'partyKey',
} as const

const common = {
  topic: 'account-lookup',
  publishers: ['account-lookup'],
  consumers: ['fspiop-api'],
  key: 'partyKey',
} as const

/** One entry of POST /participants. */
const batchEntry = z.object({
  partyIdType: z.string(),
  partyIdentifier: z.string(),
  partySubIdOrType: z.string().optional(),
  fspId: z.string().optional(),
})

const requests = {
  PartyQueryReceived: define({
    ...asked,
    about: 'GET /parties: the request is to be sent to the owner of the party.',
    schema: z.object({
      ...party,
      ...asker,
      currency: z.string().optional(),
      /** The FSP that the asker names; it is asked without a lookup. */
      destinationFspId: z.string().optional(),
      /** The request target as it came, query included: it is passed on unchanged. */
      path: z.string(),
    }),
  }),
  ParticipantQueryReceived: define({
    ...asked,
    about: 'GET /participants/{Type}/{ID}: a request for the owner of the party.',
    schema: z.object({ ...party, ...asker, currency: z.string().optional() }),
  }),
  ParticipantAssociationRequestReceived: define({
    ...asked,
    about: 'POST /participants/{Type}/{ID}: an FSP registers itself as the owner of the party.',
    schema: z.object({
      ...party,
      ...asker,
      fspId: z.string(),
      currency: z.string().optional(),
      extensionList: extensionList.optional(),
    }),
  }),
  ParticipantDisassociateRequestReceived: define({
    ...asked,
    about: 'DELETE /participants/{Type}/{ID}: an FSP lets go of its party.',
    schema: z.object({ ...party, ...asker, currency: z.string().optional() }),
  }),
  ParticipantBatchAssociationRequestReceived: define({
    ...asked,
    key: 'requestId',
    about: 'POST /participants: an FSP registers itself as the owner of many parties.',
    schema: z.object({
      requestId: z.string(),
      ...asker,
      currency: z.string().optional(),
      /** In the order of the request, 1 to 10,000. */
      partyList: z.array(batchEntry),
      /** SHA-256 of the canonical body, base64url. */
      payloadHash: z.string(),
    }),
  }),
}

/** One of the requests, by its name. */
const anyRequest = z.discriminatedUnion('name', [
  z.object({ name: z.literal('PartyQueryReceived'), payload: requests.PartyQueryReceived.schema }),
  z.object({
    name: z.literal('ParticipantQueryReceived'),
    payload: requests.ParticipantQueryReceived.schema,
  }),
  z.object({
    name: z.literal('ParticipantAssociationRequestReceived'),
    payload: requests.ParticipantAssociationRequestReceived.schema,
  }),
  z.object({
    name: z.literal('ParticipantDisassociateRequestReceived'),
    payload: requests.ParticipantDisassociateRequestReceived.schema,
  }),
  z.object({
    name: z.literal('ParticipantBatchAssociationRequestReceived'),
    payload: requests.ParticipantBatchAssociationRequestReceived.schema,
  }),
])

export const partyEvents = {
  ...requests,
  PartyQueryUndelivered: define({
    ...asked,
    about: 'GET /parties went to several FSPs, and to this one it could not be delivered.',
    schema: z.object({
      ...party,
      ...asker,
      fspId: z.string(),
      errorInformation,
      /** The id of the PartyQueryReceived that it was. */
      questionId: z.string(),
      /** How many FSPs were asked. */
      fsps: z.number().int().min(2),
    }),
  }),
  PartyQueryResponse: define({
    ...common,
    about: 'The party has no FSP that could be asked; the requesting FSP receives the reason.',
    schema: z.object({ ...party, ...asker, errorInformation }),
  }),
  ParticipantQueryResponse: define({
    ...common,
    about: 'The FSP that the party belongs to, or why there is none.',
    schema: z.object({
      ...party,
      ...asker,
      result: z.union([z.object({ ownerFspId: z.string() }), z.object({ errorInformation })]),
    }),
  }),
  ParticipantAssociationCreated: define({
    ...common,
    consumers: ['account-lookup', 'auth-service', 'fspiop-api'],
    about: 'The party belongs to the FSP; stored.',
    schema: z.object({ ...party, ...asker, fspId: z.string(), currency: z.string().optional() }),
  }),
  ParticipantAssociationRemoved: define({
    ...common,
    consumers: ['account-lookup', 'fspiop-api'],
    about: 'The party has no owner any more; stored.',
    schema: z.object({ ...party, ...asker, currency: z.string().optional() }),
  }),
  ParticipantAssociationRequestRefused: define({
    ...common,
    consumers: ['auth-service', 'fspiop-api'],
    about: 'An association was neither made nor removed, and why.',
    schema: z.object({ ...party, ...asker, errorInformation }),
  }),
  ParticipantBatchAssociationProcessed: define({
    ...common,
    consumers: ['account-lookup', 'fspiop-api'],
    key: 'requestId',
    about: 'What became of each party of the request, or why none was looked at.',
    schema: z.object({
      requestId: z.string(),
      ...asker,
      result: z.union([
        z.object({
          currency: z.string().optional(),
          /** In the order of the request; an entry with errorInformation failed. */
          partyList: z.array(
            z.object({ partyId: batchEntry, errorInformation: errorInformation.optional() }),
          ),
        }),
        z.object({ errorInformation }),
      ]),
    }),
  }),
  OracleRequestDeferred: define({
    topic: 'account-lookup.oracles',
    publishers: ['account-lookup'],
    consumers: ['account-lookup'],
    key: 'requestKey',
    about:
      'A request waits for an oracle outside the hub, by itself, so that it holds up no other.',
    schema: z.object({
      /** The key of the request. */
      requestKey: z.string(),
      /** The id of the event that the request came as; relayed headers come along. */
      requestEventId: z.string(),
      request: anyRequest,
    }),
  }),
}
