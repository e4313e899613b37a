/**
 * An FSP's side of the API: it pays, also in bulk, is paid, and accepts only messages whose sender
 * is verified. It opens no server of its own: use `serveCallbacks`, or pass incoming messages to
 * `receive`.
 */
import { errorInformation } from '@causeway/fspiop'
import type { BulkOrder, BulkResult } from './bulk/order.ts'
import { payBulk } from './bulk/pay.ts'
import { openBulkQuotePayer } from './bulk/quote-payer.ts'
import { openBulkPayee } from './bulk/transfer-payee.ts'
import { openBulkPayer } from './bulk/transfer-payer.ts'
import { openHubLink, type HubLink } from './hub/link.ts'
import { sealWith } from './hub/signing.ts'
import { openTokens } from './hub/token.ts'
import { openTransport, type Transport } from './hub/transport.ts'
import {
  type InboundHandlers,
  type InboundMessage,
  type InboundAnswer,
  takeInbound,
} from './inbound.ts'
import { bulkHandlers, thirdPartyHandlers } from './inbound-handlers.ts'
import { hubKeys, openKeyring } from './keys.ts'
import type { FspOptions } from './options.ts'
import { type AssociationResult, openAssociations } from './parties/associations.ts'
import { openLookups, type PartyResult } from './parties/lookups.ts'
import type { PartyId } from './parties/party.ts'
import { pay } from './payments/pay.ts'
import type { PaymentOrder, PaymentResult } from './payments/payment.ts'
import { openPings, type PingResult } from './pings.ts'
import { verifyWith } from './signature-verification.ts'
import { quotePayeeHandlers } from './quotes/payee.ts'
import { openQuotePayer } from './quotes/payer.ts'
import type { QuoteOrder, QuoteResult } from './quotes/quote.ts'
import { openAuthorizer } from './requests/authorizer.ts'
import { openRequestPayee } from './requests/payee.ts'
import { requestPayerHandlers } from './requests/payer.ts'
import type { RequestOrder, RequestResult } from './requests/request.ts'
import { openFieldEncryption, type FieldEncryption } from './field-encryption.ts'
import {
  authService_usually,
  authServiceOf,
  type Dfsp,
  noDfsp,
  openDfsp,
} from './pisp/dfsp/dfsp.ts'
import { openPisp, type Pisp } from './pisp/initiator/pisp.ts'
import { resolveWith } from './payments/resolve.ts'
import { transferHandlers } from './transfers/inbound-handlers.ts'
import type { TransferOrder, TransferResult } from './transfers/outcome.ts'
import { openPayee } from './transfers/payee.ts'
import { openPayer } from './transfers/payer.ts'

/**
 * Every request ends: answered, refused, or at its deadline. A method rejects for an order that
 * makes no valid message.
 */
export interface Fsp {
  readonly name: string
  /** The whole payment: lookup, quote, transfer. */
  pay(order: PaymentOrder): Promise<PaymentResult>
  /** Many payments of one customer: a bulk quote and a bulk transfer for each payee FSP. */
  payBulk(order: BulkOrder): Promise<BulkResult>
  /**
   * A party's details and the FSP that serves it. `currency`: for a party with an account per
   * currency.
   */
  lookUp(party: PartyId, currency?: string): Promise<PartyResult>
  quote(order: QuoteOrder): Promise<QuoteResult>
  /** Resolves at the latest `margin_ms` after the expiration. */
  transfer(order: TransferOrder): Promise<TransferResult>
  /** As the payee's FSP: asks another FSP for a payment of its customer. */
  requestPayment(order: RequestOrder): Promise<RequestResult>
  /** Registers the party at the scheme as this FSP's customer. */
  associate(party: PartyId, currency?: string): Promise<AssociationResult>
  disassociate(party: PartyId, currency?: string): Promise<AssociationResult>
  /** The DFSP's side of the Third-Party API: consents of its users, and what they allow. */
  readonly dfsp: Dfsp
  /** The PISP's side: linking users' accounts at DFSPs, and paying from them. */
  readonly pisp: Pisp
  /**
   * Checks that the hub is reachable, reaches this FSP, and that each accepts the other's
   * signature.
   */
  ping(): Promise<PingResult>
  /** Takes a message of the hub and returns the answer to it. */
  receive(message: InboundMessage): Promise<InboundAnswer>
  /** Every open request ends UNRESOLVED. */
  close(): Promise<void>
}

/** Throws TypeError for a signing key that does not fit the algorithm. */
export function createFsp(options: FspOptions): Fsp {
  const { name, keysOf, onDropped } = options
  const { transport, link } = connect(options)
  const fieldEncryption = openFieldEncryption(options.encryption)
  const hubName = options.hubName ?? 'Hub'
  const own = new Set([hubName, ...authServicesOf(options)])
  const verify = verifyWith(
    keysOf && openKeyring((fspId) => (own.has(fspId) ? hubKeys(transport) : keysOf(fspId))),
  )
  const roles = openRoles(options, { hubName, link, fieldEncryption })
  const { handlers } = roles
  return {
    name,
    pay: (order) => pay(roles, order),
    payBulk: (order) => payBulk(roles, order),
    lookUp: (party, currency) => roles.lookups.lookUp(party, currency),
    quote: (order) => roles.quotes.quote(order),
    transfer: (order) => roles.transfers.transfer(order),
    requestPayment: (order) => roles.requests.requestPayment(order),
    associate: (party, currency) => roles.associations.associate(party, currency),
    disassociate: (party, currency) => roles.associations.disassociate(party, currency),
    dfsp: roles.dfsp,
    pisp: roles.pisp,
    ping: () => roles.pings.ping(),
    async receive(message) {
      const result = await takeInbound({ name, handlers, verify, fieldEncryption }, message)
      const { error } = result
      if (error !== undefined) onDropped?.(message.method, message.target, error)
      return result
    },
    async close() {
      for (const role of roles.open) role.close()
      await link.close()
    },
  }
}

function connect(options: FspOptions): { readonly transport: Transport; readonly link: HubLink } {
  const seal = sealWith(options.signing)
  const transport = openTransport({
    hubUrl: options.hubUrl,
    connections_max: options.connections_max ?? 32,
    timeout_ms: options.timeout_ms ?? 5_000,
    tls: options.tls,
  })
  const tokens = options.token && openTokens(transport, options.token)
  return { transport, link: openHubLink({ transport, seal, tokens }) }
}

interface Deps {
  readonly hubName: string
  readonly link: HubLink
  readonly fieldEncryption: FieldEncryption
}

/** The roles that an FSP takes, each with the handlers of its messages. */
function openRoles(options: FspOptions, ways: Deps) {
  const {
    name,
    resendAfter_ms = 3_000,
    margin_ms = 15_000,
    answerTimeout_ms = 10_000,
    remembered_max = 100_000,
  } = options
  const parts = { name, ...ways, resendAfter_ms, margin_ms, answerTimeout_ms, remembered_max }
  const lookups = openLookups({ ...parts, onLookUp: options.onLookUp ?? (() => undefined) })
  const associations = openAssociations(parts)
  const quotes = openQuotePayer(parts)
  const transfers = openPayer(parts)
  const pings = openPings(parts)
  const authorizer = openAuthorizer(parts)
  const requests = openRequestPayee({
    ...parts,
    onAuthorization: options.onAuthorization ?? (() => ({ type: 'REJECTED' })),
  })
  const payee = openPayee({ ...parts, ...payeeSide(options, requests) })
  const bulkQuotes = openBulkQuotePayer(parts)
  const bulkTransfers = openBulkPayer(parts)
  const payeeParts = { ...parts, ...payeeSide(options, requests) }
  const paying = { lookups, quotes, transfers }
  const resolver = resolveWith(transfers, resendAfter_ms)
  const dfsp = openDfsp(
    {
      ...parts,
      associations,
      pay: (order) => pay(paying, order),
      resolve: (result) => resolver.resolve(result),
    },
    options.dfsp ?? noDfsp,
  )
  const { authService = authService_usually } = options.pisp ?? {}
  const pisp = openPisp({ ...parts, ...options.pisp, authService, lookups })
  const handlers: InboundHandlers = {
    ...lookups.handlers,
    ...associations.handlers,
    ...quotes.handlers,
    ...quotePayeeHandlers(payeeParts),
    ...bulkHandlers(payeeParts, { bulkQuotes, bulkTransfers, payee: openBulkPayee(payeeParts) }),
    ...transferHandlers(transfers, payee),
    ...requests.handlers,
    ...authorizer.handlers,
    ...requestPayerHandlers({
      ...parts,
      authorizer,
      pay: (order) => pay(paying, order),
      onRequest: options.onRequest ?? rejectRequest,
      onRequestOutcome: options.onRequestOutcome ?? (() => undefined),
    }),
    ...pings.handlers,
    ...thirdPartyHandlers(pisp.handlers, dfsp.handlers),
  }
  const bulks = [bulkQuotes, bulkTransfers]
  const open = [lookups, associations, quotes, transfers, payee, requests, authorizer, pings]
  return {
    ...paying,
    bulkQuotes,
    bulkTransfers,
    associations,
    pings,
    requests,
    dfsp,
    pisp,
    handlers,
    open: [...open, ...bulks, dfsp, pisp, resolver],
  }
}

/** The participants whose keys the hub publishes: its own auth service is a part of it. */
function authServicesOf({ dfsp, pisp }: FspOptions): readonly string[] {
  const asked = dfsp === undefined ? undefined : authServiceOf(dfsp)
  return [pisp?.authService ?? authService_usually, ...(asked === undefined ? [] : [asked])]
}

const rejectRequest = () =>
  ({ type: 'REJECT', error: errorInformation('4102', 'this FSP pays no requests') }) as const

/** Passes the FSP's decisions to its own open payment requests too: they end with the transfer. */
function payeeSide(
  { secret, onQuote, onTransfer, onOutcome }: FspOptions,
  requests: Pick<ReturnType<typeof openRequestPayee>, 'quoted' | 'decided' | 'settled'>,
): Required<Pick<FspOptions, 'secret' | 'onQuote' | 'onTransfer' | 'onOutcome'>> {
  return {
    secret,
    async onQuote(quote) {
      const decision = (await onQuote?.(quote)) ?? { type: 'AGREE' }
      if (decision.type === 'AGREE') requests.quoted(quote)
      return decision
    },
    async onTransfer(transfer) {
      const decision = (await onTransfer?.(transfer)) ?? { type: 'COMMIT' }
      requests.decided(transfer, decision)
      return decision
    },
    onOutcome(outcome) {
      requests.settled(outcome)
      onOutcome?.(outcome)
    },
  }
}
