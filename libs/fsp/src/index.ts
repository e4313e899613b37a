export type { Amount } from './amount.ts'
export type { Ended, Unanswered } from './pending-requests.ts'
export type {
  BulkOrder,
  BulkPayment,
  BulkPaymentResult,
  BulkProgress,
  BulkResult,
  BulkSummary,
} from './bulk/order.ts'
export {
  callbackHandler,
  serveCallbacks,
  type CallbackServer,
  type CallbackServerOptions,
  type CallbackTls,
} from './callbacks.ts'
export { createFsp, type Fsp } from './fsp.ts'
export { publicJwk, readSigning, type Signing } from './hub/signing.ts'
export type { TokenOptions } from './hub/token.ts'
export type { Tls } from './hub/transport.ts'
export type { InboundMessage, InboundAnswer } from './inbound.ts'
export { readJwks, type KeysOf } from './keys.ts'
export type { FspOptions } from './options.ts'
export type { AssociationResult } from './parties/associations.ts'
export type { PartyResult } from './parties/lookups.ts'
export type { NamedParty, PartyDetails, PartyId, PersonalInfo } from './parties/party.ts'
export {
  refundOf,
  type Leg,
  type Offer,
  type PaymentMs,
  type PaymentOrder,
  type PaymentResult,
  type ServedParty,
} from './payments/payment.ts'
export type { PingResult } from './pings.ts'
export type {
  IncomingQuote,
  Quote,
  QuoteDecision,
  QuoteOrder,
  QuoteResult,
} from './quotes/quote.ts'
export type {
  AuthorizationDecision,
  IncomingAuthorization,
  IncomingRequest,
  Otp,
  RequestDecision,
  RequestOrder,
  RequestOutcome,
  RequestResult,
} from './requests/request.ts'
export type { Encryption } from './field-encryption.ts'
export { agree, type Agreement, type AgreementTerms } from './transfers/agreement.ts'
export type {
  IncomingTransfer,
  PayeeDecision,
  PayeeOutcome,
  TransferOrder,
  TransferResult,
} from './transfers/outcome.ts'
export {
  type Authenticator,
  type AuthenticatorOptions,
  type Ceremony,
  createAuthenticator,
  createGenericKey,
  type FidoAssertion,
  type FidoAttestation,
  type GenericKey,
} from './thirdparty/authenticator.ts'
export type { Dfsp } from './thirdparty/dfsp/dfsp.ts'
export type { Link } from './thirdparty/dfsp/link.ts'
export type { DfspOptions, ThirdPartyPayment } from './thirdparty/dfsp/options.ts'
export type { PayerAccount, PispOutcome } from './thirdparty/dfsp/payment.ts'
export type { LinkingChoices } from './thirdparty/dfsp/requests.ts'
export type { Account, Channel, Credential, Scope, SignedPayload } from './thirdparty/consent.ts'
export type { AccountsResult, ProvidersResult } from './thirdparty/pisp/discovery.ts'
export type { LinkedConsent } from './thirdparty/pisp/linked.ts'
export type {
  Authentication,
  CredentialRequest,
  LinkOrder,
  LinkResult,
  UnlinkResult,
} from './thirdparty/pisp/link-order.ts'
export type { TermsToSign, ThirdPartyOrder, ThirdPartyResult } from './thirdparty/pisp/paying.ts'
export type { Pisp, PispOptions } from './thirdparty/pisp/pisp.ts'
