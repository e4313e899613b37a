/**
 * Every message that FSPs may send, with its purpose and the schemas that it is read with. A test
 * compares it with the served routes and with the refusals of the edge.
 */
import {
  authorizationsQuery,
  errorBody,
  participantsQuery,
  patchConsentRequests,
  patchConsents,
  patchThirdpartyTransactions,
  postBulkQuotes,
  postBulkTransfers,
  postConsentRequests,
  postConsents,
  postParticipant,
  postParticipants,
  postQuotes,
  postThirdpartyAuthorizations,
  postThirdpartyTransactions,
  postTransactionRequests,
  postTransfers,
  postVerifications,
  putAccounts,
  putAuthorizations,
  putBulkQuotes,
  putBulkTransfers,
  putConsentRequests,
  putConsents,
  putParticipant,
  putParticipantsBatch,
  putParties,
  putQuotes,
  putThirdpartyAuthorizations,
  putThirdpartyTransactions,
  putTransactionRequests,
  putTransactions,
  putTransfers,
  putVerifications,
  type Operation,
} from '@causeway/fspiop'
import type { z } from 'zod'
import { postPings } from '../pings/requests.ts'

export interface DescribedMessage {
  readonly about: string
  /** Undefined: the body is empty. */
  readonly body?: z.ZodType
  readonly query?: z.ZodType
}

const error = (about: string): DescribedMessage => ({ about, body: errorBody })

const ofParticipants = {
  'POST /participants': { about: 'Associate many parties with FSPs', body: postParticipants },
  'PUT /participants/{ID}': {
    about: 'Answer an association of many parties',
    body: putParticipantsBatch,
  },
  'PUT /participants/{ID}/error': error('Refuse an association of many parties'),
  ...ofParty('/participants/{Type}/{ID}'),
  ...ofParty('/participants/{Type}/{ID}/{SubId}'),
}

function ofParty<Path extends '/participants/{Type}/{ID}' | '/participants/{Type}/{ID}/{SubId}'>(
  path: Path,
) {
  return {
    [`GET ${path}`]: { about: 'Ask which FSP serves a party', query: participantsQuery },
    [`POST ${path}`]: { about: 'Associate a party with an FSP', body: postParticipant },
    [`DELETE ${path}`]: {
      about: 'End the association of a party with an FSP',
      query: participantsQuery,
    },
    [`PUT ${path}`]: { about: 'Answer which FSP serves a party', body: putParticipant },
    [`PUT ${path}/error`]: error('Refuse a request about the FSP of a party'),
  } as const
}

const payments = {
  'GET /parties/{Type}/{ID}': { about: 'Look up a party' },
  'GET /parties/{Type}/{ID}/{SubId}': { about: 'Look up a party with a sub-identifier' },
  'PUT /parties/{Type}/{ID}': { about: 'Answer a lookup', body: putParties },
  'PUT /parties/{Type}/{ID}/{SubId}': {
    about: 'Answer a lookup with a sub-identifier',
    body: putParties,
  },
  'PUT /parties/{Type}/{ID}/error': error('Refuse a lookup'),
  'PUT /parties/{Type}/{ID}/{SubId}/error': error('Refuse a lookup with a sub-identifier'),
  'POST /quotes': { about: 'Request the terms of a transfer', body: postQuotes },
  'GET /quotes/{ID}': { about: 'Ask for the terms of a quote' },
  'PUT /quotes/{ID}': { about: 'Answer a quote with its terms', body: putQuotes },
  'PUT /quotes/{ID}/error': error('Refuse a quote'),
  'POST /transfers': { about: 'Prepare a transfer', body: postTransfers },
  'GET /transfers/{ID}': { about: 'Ask for the state of a transfer' },
  'PUT /transfers/{ID}': { about: 'Fulfil a transfer', body: putTransfers },
  'PUT /transfers/{ID}/error': error('Refuse a transfer'),
  'POST /bulkQuotes': { about: 'Request the terms of many transfers', body: postBulkQuotes },
  'GET /bulkQuotes/{ID}': { about: 'Ask for the terms of a bulk quote' },
  'PUT /bulkQuotes/{ID}': { about: 'Answer a bulk quote with its terms', body: putBulkQuotes },
  'PUT /bulkQuotes/{ID}/error': error('Refuse a bulk quote'),
  'POST /bulkTransfers': { about: 'Prepare a bulk transfer', body: postBulkTransfers },
  'GET /bulkTransfers/{ID}': { about: 'Ask for the state of a bulk transfer' },
  'PUT /bulkTransfers/{ID}': { about: 'Fulfil a bulk transfer', body: putBulkTransfers },
  'PUT /bulkTransfers/{ID}/error': error('Refuse a bulk transfer'),
  'POST /transactionRequests': { about: 'Request a payment', body: postTransactionRequests },
  'GET /transactionRequests/{ID}': { about: 'Ask for the state of a request to pay' },
  'PUT /transactionRequests/{ID}': {
    about: 'Answer a request to pay',
    body: putTransactionRequests,
  },
  'PUT /transactionRequests/{ID}/error': error('Refuse a request to pay'),
  'GET /authorizations/{ID}': {
    about: 'Ask the payer to authorize a payment',
    query: authorizationsQuery,
  },
  'PUT /authorizations/{ID}': { about: 'Answer an authorization', body: putAuthorizations },
  'PUT /authorizations/{ID}/error': error('Refuse an authorization'),
  'GET /transactions/{ID}': { about: 'Ask for the state of a transaction' },
  'PUT /transactions/{ID}': { about: 'Answer the state of a transaction', body: putTransactions },
  'PUT /transactions/{ID}/error': error('Refuse a question about a transaction'),
  'POST /pings': {
    about: 'Test the connection, the identity and the signature of this FSP; not of the FSPIOP API',
    body: postPings,
  },
} as const satisfies Partial<Record<Operation, DescribedMessage>>

const linking = {
  'GET /accounts/{ID}': { about: "Ask for a user's accounts" },
  'PUT /accounts/{ID}': { about: "Answer with a user's accounts", body: putAccounts },
  'PUT /accounts/{ID}/error': error("Refuse a question about a user's accounts"),
  'GET /services/{ServiceType}': { about: 'Ask which participants provide a service' },
  'POST /consentRequests': { about: 'Request a consent', body: postConsentRequests },
  'GET /consentRequests/{ID}': { about: 'Ask for a request for consent' },
  'PUT /consentRequests/{ID}': {
    about: 'Answer a request for consent',
    body: putConsentRequests,
  },
  'PATCH /consentRequests/{ID}': {
    about: "Bring the user's authentication token",
    body: patchConsentRequests,
  },
  'PUT /consentRequests/{ID}/error': error('Refuse a request for consent'),
  'POST /consents': {
    about: 'Grant a consent to a PISP, or register one with an auth service',
    body: postConsents,
  },
  'GET /consents/{ID}': { about: 'Ask for a consent' },
  'PUT /consents/{ID}': {
    about: 'Provide or verify the credential of a consent',
    body: putConsents,
  },
  'PATCH /consents/{ID}': { about: 'Report the new state of a consent', body: patchConsents },
  'DELETE /consents/{ID}': { about: 'Revoke a consent' },
  'PUT /consents/{ID}/error': error('Refuse a request about a consent'),
} as const satisfies Partial<Record<Operation, DescribedMessage>>

const thirdPartyPayments = {
  'POST /thirdpartyRequests/transactions': {
    about: 'Request a payment from a linked account',
    body: postThirdpartyTransactions,
  },
  'GET /thirdpartyRequests/transactions/{ID}': { about: 'Ask for the state of such a payment' },
  'PUT /thirdpartyRequests/transactions/{ID}': {
    about: 'Answer with the state of such a payment',
    body: putThirdpartyTransactions,
  },
  'PATCH /thirdpartyRequests/transactions/{ID}': {
    about: 'Report the outcome of such a payment',
    body: patchThirdpartyTransactions,
  },
  'PUT /thirdpartyRequests/transactions/{ID}/error': error('Refuse such a payment'),
  'POST /thirdpartyRequests/authorizations': {
    about: 'Ask the user to sign a payment',
    body: postThirdpartyAuthorizations,
  },
  'GET /thirdpartyRequests/authorizations/{ID}': { about: 'Ask for such a signature again' },
  'PUT /thirdpartyRequests/authorizations/{ID}': {
    about: "Bring the user's signature",
    body: putThirdpartyAuthorizations,
  },
  'PUT /thirdpartyRequests/authorizations/{ID}/error': error('Refuse to sign a payment'),
  'POST /thirdpartyRequests/verifications': {
    about: "Ask the auth service to verify a user's signature",
    body: postVerifications,
  },
  'GET /thirdpartyRequests/verifications/{ID}': { about: 'Ask for the result of a verification' },
  'PUT /thirdpartyRequests/verifications/{ID}': {
    about: 'Answer with the result of a verification',
    body: putVerifications,
  },
  'PUT /thirdpartyRequests/verifications/{ID}/error': error('Refuse a verification'),
} as const satisfies Partial<Record<Operation, DescribedMessage>>

export const messages: Readonly<Partial<Record<Operation, DescribedMessage>>> = {
  ...ofParticipants,
  ...payments,
  ...linking,
  ...thirdPartyPayments,
}
