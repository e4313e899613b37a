export type { Amount } from './amount.ts'
export type { Ended, Unanswered } from './asking.ts'
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
export type { InboundMessage, Judgement } from './inbound.ts'
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
export type { Encryption } from './secrecy.ts'
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
