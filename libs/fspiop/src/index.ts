export { type BodyReading, readBody, readJson } from './bodies/body.ts'
export { canonicalJson } from './bodies/canonical-json.ts'
export {
  challengeReadings,
  consentChallenge,
  consentClientChallenges,
  transactionChallenge,
  transactionClientChallenges,
} from './challenge.ts'
export {
  type ErrorBody,
  errorBody,
  type Money,
  type Party,
  party,
  type PartyIdInfo,
  partyIdInfo,
  type TransactionType,
  transactionType,
} from './bodies/complex.ts'
export { utcDateTime, writableTime, writeDateTime } from './bodies/date-time.ts'
export { finerAmount, finerThan } from './bodies/decimals.ts'
export * as elements from './bodies/elements.ts'
export { type Clear, type EncryptedPath, readEncryptedPaths } from './signatures/encrypted.ts'
export { renumberedEncryption } from './signatures/encryption-header.ts'

export { baseAddressFault, mailAddressFault, webAddressFault } from './addresses.ts'
export {
  callbackAddress,
  type EndpointType,
  endpointTypeOf,
  endpointTypes,
  endpointValueFault,
  isEndpointType,
  templateVariables,
} from './endpoints.ts'
export * from './bodies/enumerations.ts'
export {
  causeOf,
  type ErrorCode,
  errorCatalogue,
  type ErrorInformation,
  errorInformation,
  type ExtensionList,
  httpStatuses,
  type Refusal,
} from './errors.ts'
export { concernsPerson, type Person } from './person.ts'
export { payloadHash } from './bodies/hash.ts'
export {
  type AcceptedHeaders,
  checkHeaders,
  type Headers,
  hubHeaders,
  furtherHeadersFault,
  isRelayed,
  isSchemeHeader,
  relayHeaders,
  responseContentType,
} from './headers.ts'
export { readHttpDate, writeHttpDate } from './http-date.ts'
export { isCorrelationId } from './bodies/ids.ts'
export { readTransaction, type Transaction, writeTransaction } from './ilp-transaction.ts'
export {
  amountToIlp,
  conditionOf,
  decodePacket,
  encodePacket,
  fulfilmentOf,
  fulfils,
  isCondition,
} from './ilp.ts'
export { decryptFields, encryptFields } from './signatures/jwe.ts'
export { isKid, readPublicKey } from './signatures/jws-key.ts'
export {
  type MessageToSign,
  type ParsedSignature,
  readSignature,
  type ReceivedMessage,
  rsaAlgorithms,
  type SignatureAlgorithm,
  signatureHeader,
  signerOf,
  type VerificationKey,
  verifySignature,
} from './signatures/jws.ts'
export { contentType } from './media-type.ts'
export { identifierFault, isPartyIdType, isThirdPartyIdType, subIdFault } from './party-id.ts'
export { payeeReceiveAmountOf, transferAmountOf } from './quote-amounts.ts'
export {
  type Method,
  type Resource,
  type ResourceRules,
  resourceRules,
  type Version,
} from './resources.ts'
export {
  authorizationsQuery,
  type PutAuthorizations,
  putAuthorizations,
  putAuthorizationsAnyResponse,
  readAuthorizationsQuery,
} from './resources/authorizations.ts'
export {
  bulkItems_max,
  type IndividualQuote,
  type IndividualQuoteResult,
  type PostBulkQuotes,
  postBulkQuotes,
  type PutBulkQuotes,
  putBulkQuotes,
} from './resources/bulkQuotes.ts'
export {
  type IndividualTransfer,
  type IndividualTransferResult,
  type PostBulkTransfers,
  postBulkTransfers,
  type PutBulkTransfers,
  putBulkTransfers,
} from './resources/bulkTransfers.ts'
export {
  participantsQuery,
  postParticipant,
  postParticipants,
  putParticipant,
  putParticipantsBatch,
  readParticipantsQuery,
} from './resources/participants.ts'
export { putParties, readPartiesQuery } from './resources/parties.ts'
export { type PostQuotes, postQuotes, type PutQuotes, putQuotes } from './resources/quotes.ts'
export {
  type PostTransactionRequests,
  postTransactionRequests,
  putTransactionRequests,
  putTransactionRequestsAnyState,
} from './resources/transactionRequests.ts'
export { putAccounts } from './resources/pisp/accounts.ts'
export {
  type PostThirdpartyAuthorizations,
  postThirdpartyAuthorizations,
  putThirdpartyAuthorizations,
} from './resources/pisp/authorizations.ts'
export {
  patchConsentRequests,
  type PostConsentRequests,
  postConsentRequests,
  putConsentRequests,
} from './resources/pisp/consentRequests.ts'
export {
  patchConsents,
  postConsents,
  postConsentsRegistration,
  putConsents,
} from './resources/pisp/consents.ts'

export { putServices } from './resources/pisp/services.ts'
export {
  patchThirdpartyTransactions,
  type PostThirdpartyTransactions,
  postThirdpartyTransactions,
  putThirdpartyTransactions,
} from './resources/pisp/transactions.ts'
export { postVerifications, putVerifications } from './resources/pisp/verifications.ts'
export { type PutTransactions, putTransactions } from './resources/transactions.ts'
export {
  patchTransfers,
  type PostTransfers,
  postTransfers,
  putTransfers,
  type PutTransfersAnswer,
  putTransfersAnswer,
} from './resources/transfers.ts'
export { matchPath, type Operation, type PathMatch, type PathParameters, routes } from './routes.ts'
export { readTrace, signsTrace, type Trace } from './trace.ts'
