export { type BodyReading, readBody, readJson } from './body.ts'
export {
  type AuthenticationInfo,
  authenticationInfo,
  type ErrorBody,
  errorBody,
  errorInformationPart,
  extensionList,
  geoCode,
  type Money,
  money,
  type Party,
  party,
  type PartyIdInfo,
  partyIdInfo,
  partyResult,
  type TransactionType,
  transactionType,
} from './complex.ts'
export * as elements from './elements.ts'
export {
  callbackUrl,
  type EndpointType,
  endpointTypeOf,
  endpointTypes,
  fillTemplate,
  isBaseUrlType,
  isEndpointType,
  isEndpointValue,
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
export { readHttpDate, writeHttpDate } from './http-date.ts'
export { isCorrelationId, isUuid } from './ids.ts'
export {
  conditionOf,
  decodePacket,
  encodePacket,
  fulfilmentOf,
  fulfils,
  type IlpPacket,
  isCondition,
} from './ilp.ts'
export {
  acceptHeader,
  contentType,
  negotiateAccept,
  type Negotiation,
  readContentType,
} from './media-type.ts'
export { identifierFault, isPartyIdType, subIdFault } from './party-id.ts'
export {
  type Method,
  type Resource,
  type ResourceRules,
  resourceRules,
  type Version,
} from './resources.ts'
export {
  type PatchTransfers,
  patchTransfers,
  type PostTransfers,
  postTransfers,
  type PutTransfers,
  putTransfers,
  type PutTransfersAnswer,
  putTransfersAnswer,
  reservedRefusal,
} from './resources/transfers.ts'
export {
  matchPath,
  type Operation,
  type PathMatch,
  type PathParameters,
  type Route,
  routes,
} from './routes.ts'
