export { type BodyReading, readBody, readJson } from './body.ts'
export {
  challengeReadings,
  consentChallenge,
  consentClientChallenges,
  type ConsentToSign,
  transactionChallenge,
  transactionClientChallenges,
} from './challenge.ts'
export {
  type AuthenticationInfo,
  authenticationInfo,
  type ErrorBody,
  errorBody,
  extensionList,
  geoCode,
  type Money,
  money,
  type Party,
  party,
  type PartyIdInfo,
  partyIdInfo,
  type TransactionType,
  transactionType,
} from './complex.ts'
export { renumberedEncryption } from './bulk-encryption.ts'
export * as elements from './elements.ts'
export { type Clear, type EncryptedPath, readEncryptedPaths } from './encrypted.ts'
export { type EncryptedField, readEncryptionHeader } from './encryption-header.ts'
export {
  callbackAddress,
  callbackUrl,
  type EndpointType,
  endpointTypeOf,
  endpointTypes,
  isEndpointType,
  isEndpointValue,
  templateVariables,
} from './endpoints.ts'
export * from './enumerations.ts'
export {
  causeOf,
  type ErrorCode,
  errorCatalogue,
  type ErrorInformation,
  errorInformation,
  type Extension,
  type ExtensionList,
  meaningOf,
  type Refusal,
  refusal,
} from './errors.ts'
export { canonicalJson, payloadHash } from './hash.ts'
export {
  type AcceptedHeaders,
  checkHeaders,
  type HeaderCheck,
  type Headers,
  hubHeaders,
  type HubMessage,
  relayHeaders,
  responseContentType,
} from './headers.ts'
export { writeHttpDate } from './http-date.ts'
export { isCorrelationId, isUuid, isUuidShaped } from './ids.ts'
export { readTransaction, type Transaction, writeTransaction } from './ilp-transaction.ts'
export {
  amountToIlp,
  conditionOf,
  decodePacket,
  encodePacket,
  fulfilmentOf,
  fulfils,
  type IlpPacket,
  isCondition,
} from './ilp.ts'
export {
  type ContentEncryption,
  type Decryption,
  decryptFields,
  encryptFields,
  type Encryption,
  type EncryptionOptions,
} from './jwe.ts'
export { isKid, type KeyUse, type PublicKey, readPublicKey } from './jws-key.ts'
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
} from './jws.ts'
export { contentType } from './media-type.ts'
export { identifierFault, isPartyIdType, isThirdPartyIdType, subIdFault } from './party-id.ts'
export { payeeReceiveAmountOf, type QuoteTerms, transferAmountOf } from './quote-amounts.ts'
export {
  type Method,
  type Resource,
  type ResourceRules,
  resourceRules,
  type Version,
} from './resources.ts'
export {
  type AuthorizationsQuery,
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
  type ParticipantsQuery,
  type PostParticipant,
  postParticipant,
  type PostParticipants,
  postParticipants,
  type PutParticipant,
  putParticipant,
  type PutParticipantsBatch,
  putParticipantsBatch,
  readParticipantsQuery,
} from './resources/participants.ts'
export { type PutParties, putParties, readPartiesQuery } from './resources/parties.ts'
export { type PostQuotes, postQuotes, type PutQuotes, putQuotes } from './resources/quotes.ts'
export {
  type PostTransactionRequests,
  postTransactionRequests,
  type PutTransactionRequests,
  putTransactionRequests,
  putTransactionRequestsAnyState,
} from './resources/transactionRequests.ts'
export { type PutAccounts, putAccounts } from './resources/thirdparty/accounts.ts'
export {
  type PostThirdpartyAuthorizations,
  postThirdpartyAuthorizations,
  type PutThirdpartyAuthorizations,
  putThirdpartyAuthorizations,
} from './resources/thirdparty/authorizations.ts'
export {
  type PatchConsentRequests,
  patchConsentRequests,
  type PostConsentRequests,
  postConsentRequests,
  type PutConsentRequests,
  putConsentRequests,
} from './resources/thirdparty/consentRequests.ts'
export {
  type PatchConsents,
  patchConsents,
  type PostConsents,
  postConsents,
  type PostConsentsRegistration,
  postConsentsRegistration,
  type PutConsents,
  putConsents,
} from './resources/thirdparty/consents.ts'
export type { Credential, Scope, SignedPayload } from './resources/thirdparty/parts.ts'
export { type PutServices, putServices } from './resources/thirdparty/services.ts'
export {
  type PatchThirdpartyTransactions,
  patchThirdpartyTransactions,
  type PostThirdpartyTransactions,
  postThirdpartyTransactions,
  type PutThirdpartyTransactions,
  putThirdpartyTransactions,
} from './resources/thirdparty/transactions.ts'
export {
  type PostVerifications,
  postVerifications,
  type PutVerifications,
  putVerifications,
} from './resources/thirdparty/verifications.ts'
export { type PutTransactions, putTransactions } from './resources/transactions.ts'
export {
  type PatchTransfers,
  patchTransfers,
  type PostTransfers,
  postTransfers,
  type PutTransfers,
  putTransfers,
  type PutTransfersAnswer,
  putTransfersAnswer,
} from './resources/transfers.ts'
export {
  matchPath,
  type Operation,
  type PathMatch,
  type PathParameters,
  type Route,
  routes,
} from './routes.ts'
export { readTrace, type Trace } from './trace.ts'
