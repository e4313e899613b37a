export type { Amount } from './amount.ts'
export type { TimedResult, Unanswered } from './pending-requests.ts'
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
} from './pisp/authenticator.ts'
export type { Dfsp } from './pisp/dfsp/dfsp.ts'
export type { Link } from './pisp/dfsp/link.ts'
export type { DfspOptions, ThirdPartyPayment } from './pisp/dfsp/options.ts'
export type { PayerAccount, PispOutcome } from './pisp/dfsp/payment.ts'
export type { LinkingChoices } from './pisp/dfsp/requests.ts'
export type { LinkableAccount, Channel, Credential, Scope, SignedPayload } from './pisp/consent.ts'
export type { AccountsResult, ProvidersResult } from './pisp/initiator/discovery.ts'
export type { LinkedConsent } from './pisp/initiator/linked.ts'
export type {
  Authentication,
  CredentialRequest,
  LinkOrder,
  LinkResult,
  UnlinkResult,
} from './pisp/initiator/link-order.ts'
export type { TermsToSign, ThirdPartyOrder, ThirdPartyResult } from './pisp/initiator/paying.ts'
export type { Pisp, PispOptions } from './pisp/initiator/pisp.ts'
