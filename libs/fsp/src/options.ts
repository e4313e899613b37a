/** The options of an FSP. Only name, hub and secret are required; the others have safe defaults. */
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
import type { Encryption } from './field-encryption.ts'
import type { DfspOptions } from './pisp/dfsp/options.ts'
import type { PispOptions } from './pisp/initiator/pisp.ts'
import type { IncomingTransfer, PayeeDecision, PayeeOutcome } from './transfers/outcome.ts'

type Later<Value> = Value | Promise<Value>

export interface FspOptions {
  /** The FSP's name in the scheme (FspId). */
  readonly name: string
  /** Base URL of the hub's FSP port: `https://hub.example:4000`. */
  readonly hubUrl: string
  /**
   * The hub's own name: the source of messages that the hub itself creates. "Hub" when left out.
   */
  readonly hubName?: string
  /** 32 bytes that only this FSP knows; they must stay the same across restarts. */
  readonly secret: Buffer

  /** The client certificate for an https hub, and the CA that the FSP trusts. */
  readonly tls?: Tls
  /** A bearer token identifies the FSP, in place of a certificate. */
  readonly token?: TokenOptions
  /** Without it no message is signed. */
  readonly signing?: Signing
  /**
   * The keys of other FSPs; with it, a message that is not signed by its sender is refused (400,
   * 3105). The hub's keys are fetched from the hub. Without it no signature is verified.
   */
  readonly keysOf?: KeysOf
  readonly encryption?: Encryption

  /** The FSP's own customer with that identifier; without it the FSP has no customers. */
  readonly onLookUp?: (party: PartyId) => Later<PartyDetails | undefined>
  /** The terms of a payment to a customer; without it every payment is accepted, without fees. */
  readonly onQuote?: (quote: IncomingQuote) => Later<QuoteDecision>
  /**
   * What to do with a transfer; without it every transfer that matches its quote is accepted
   * (COMMIT).
   */
  readonly onTransfer?: (transfer: IncomingTransfer) => Later<PayeeDecision>
  /** The hub's final state of a transfer that was accepted, once. */
  readonly onOutcome?: (outcome: PayeeOutcome) => void
  /** Another FSP requests a payment from a customer; without it every request is rejected. */
  readonly onRequest?: (request: IncomingRequest) => Later<RequestDecision>
  readonly onRequestOutcome?: (outcome: RequestOutcome) => void
  /**
   * The payer is asked to confirm a requested payment at the payee's device; without it the payer
   * rejects.
   */
  readonly onAuthorization?: (asked: IncomingAuthorization) => Later<AuthorizationDecision>
  /** As the DFSP of a PISP's users; without it the FSP offers no accounts for linking. */
  readonly dfsp?: DfspOptions
  readonly pisp?: PispOptions
  /** Called for each message that was rejected, with the error that was answered. */
  readonly onDropped?: (method: string, target: string, error: ErrorInformation) => void

  /** Ask the hub again after so long without an answer (3,000). */
  readonly resendAfter_ms?: number
  /** Wait so long beyond the expiration for the outcome of a transfer (15,000). */
  readonly margin_ms?: number
  /**
   * How long to wait for the answer to a request without an expiration: lookups, associations,
   * pings (10,000).
   */
  readonly answerTimeout_ms?: number
  /** For one request to the hub (5,000). */
  readonly timeout_ms?: number
  /** Persistent connections to the hub (32). */
  readonly connections_max?: number
  /**
   * Requests of others that are stored, of each kind, so that a repeat gets the same answer
   * (100,000).
   */
  readonly remembered_max?: number
}
