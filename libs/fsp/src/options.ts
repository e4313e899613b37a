/** What an FSP is made of. Only name, hub and secret are needed; all else has an honest default. */
import type { ErrorInformation } from '@causeway/fspiop'
import type { Signing } from './hub/signing.ts'
import type { TokenOptions } from './hub/token.ts'
import type { Tls } from './hub/transport.ts'
import type { KeysOf } from './keys.ts'
import type { PartyDetails, PartyId } from './parties/party.ts'
import type { IncomingQuote, QuoteDecision } from './quotes/quote.ts'
import type {
  AuthorizationDecision,
  IncomingAuthorization,
  IncomingRequest,
  RequestDecision,
  RequestOutcome,
} from './requests/request.ts'
import type { Encryption } from './secrecy.ts'
import type { DfspOptions } from './thirdparty/dfsp/options.ts'
import type { PispOptions } from './thirdparty/pisp/pisp.ts'
import type { IncomingTransfer, PayeeDecision, PayeeOutcome } from './transfers/outcome.ts'

type Later<Value> = Value | Promise<Value>

export interface FspOptions {
  /** The FSP's name in the scheme (FspId). */
  readonly name: string
  /** Where the hub takes FSPs' messages: `https://hub.example:4000`. */
  readonly hubUrl: string
  /** The hub's own name; messages that it makes itself come from it. "Hub" when left out. */
  readonly hubName?: string
  /** 32 bytes that only this FSP knows; they must be the same at its next start. */
  readonly secret: Buffer

  /** Who the FSP is to an https hub, and whose certificate it trusts. */
  readonly tls?: Tls
  /** A bearer token says who it is, in place of a certificate. */
  readonly token?: TokenOptions
  /** Without it nothing is signed. */
  readonly signing?: Signing
  /**
   * The keys of other FSPs; with it, what is not signed by its sender is refused (400, 3105). The hub's
   * keys are fetched from the hub. Without it no signature is looked at.
   */
  readonly keysOf?: KeysOf
  readonly encryption?: Encryption

  /** The FSP's own customer of that name; without it the FSP has none. */
  readonly onLookUp?: (party: PartyId) => Later<PartyDetails | undefined>
  /** The terms of a payment to a customer; without it every one is agreed to, without fees. */
  readonly onQuote?: (quote: IncomingQuote) => Later<QuoteDecision>
  /** What to do with a transfer; without it every one that is as agreed is taken (COMMIT). */
  readonly onTransfer?: (transfer: IncomingTransfer) => Later<PayeeDecision>
  /** The hub's own word about a transfer that was taken, once. */
  readonly onOutcome?: (outcome: PayeeOutcome) => void
  /** Another FSP asks for a payment of a customer; without it none is made. */
  readonly onRequest?: (request: IncomingRequest) => Later<RequestDecision>
  readonly onRequestOutcome?: (outcome: RequestOutcome) => void
  /** The payer is to prove a requested payment at the payee's device; without it they do not want to. */
  readonly onAuthorization?: (asked: IncomingAuthorization) => Later<AuthorizationDecision>
  /** As the FSP of a third party's users; without it the FSP has no accounts that could be linked. */
  readonly dfsp?: DfspOptions
  readonly pisp?: PispOptions
  /** Told of each message that was not believed, and what was answered. */
  readonly onDropped?: (method: string, target: string, error: ErrorInformation) => void

  /** Ask the hub again after so long without a word (3,000). */
  readonly silence_ms?: number
  /** Wait so long beyond the expiration for the outcome of a transfer (15,000). */
  readonly margin_ms?: number
  /** How long a question without an expiration is waited for: lookups, associations, pings (10,000). */
  readonly patience_ms?: number
  /** For one request to the hub (5,000). */
  readonly timeout_ms?: number
  /** Kept connections to the hub (32). */
  readonly connections_max?: number
  /** Requests of others that are remembered, of each kind, so that a repeat is answered the same (100,000). */
  readonly remembered_max?: number
}
