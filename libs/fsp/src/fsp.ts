/**
 * An FSP's side of the API: it pays, also in bulk, is paid, and believes nothing that is not proven. It
 * makes no server of its own: `serveCallbacks` is one, and whoever has another hands in what comes.
 */
import { errorInformation } from '@causeway/fspiop'
import { bulkHearers } from './bulk/hearers.ts'
import type { BulkOrder, BulkResult } from './bulk/order.ts'
import { payBulk } from './bulk/pay.ts'
import { openBulkQuotePayer } from './bulk/quote-payer.ts'
import { openBulkPayee } from './bulk/transfer-payee.ts'
import { openBulkPayer } from './bulk/transfer-payer.ts'
import { openHubLink, type HubLink } from './hub/link.ts'
import { sealWith } from './hub/signing.ts'
import { openTokens } from './hub/token.ts'
import { openTransport, type Transport } from './hub/transport.ts'
import { type Hearers, type InboundMessage, type Judgement, takeInbound } from './inbound.ts'
import { hubKeys, openKeyring } from './keys.ts'
import type { FspOptions } from './options.ts'
import { type AssociationResult, openAssociations } from './parties/associations.ts'
import { openLookups, type PartyResult } from './parties/lookups.ts'
import type { PartyId } from './parties/party.ts'
import { pay } from './payments/pay.ts'
import type { PaymentOrder, PaymentResult } from './payments/payment.ts'
import { openPings, type PingResult } from './pings.ts'
import { proveWith } from './proof.ts'
import { quotePayeeHearers } from './quotes/payee.ts'
import { openQuotePayer } from './quotes/payer.ts'
import type { QuoteOrder, QuoteResult } from './quotes/quote.ts'
import { openAuthorizer } from './requests/authorizer.ts'
import { openRequestPayee } from './requests/payee.ts'
import { requestPayerHearers } from './requests/payer.ts'
import type { RequestOrder, RequestResult } from './requests/request.ts'
import { openSecrecy, type Secrecy } from './secrecy.ts'
import {
  authService_usually,
  authServiceOf,
  type Dfsp,
  noDfsp,
  openDfsp,
} from './thirdparty/dfsp/dfsp.ts'
import { thirdPartyHearers } from './thirdparty/hearers.ts'
import { openPisp, type Pisp } from './thirdparty/pisp/pisp.ts'
import { resolveWith } from './payments/resolve.ts'
import { transferHearers } from './transfers/hearers.ts'
import type { TransferOrder, TransferResult } from './transfers/outcome.ts'
import { openPayee } from './transfers/payee.ts'
import { openPayer } from './transfers/payer.ts'

/** Every question ends: answered, refused, or at its deadline. They reject for an order that makes no message. */
export interface Fsp {
  readonly name: string
  /** The whole payment: lookup, quote, transfer. */
  pay(order: PaymentOrder): Promise<PaymentResult>
  /** Many payments of one customer: a bulk quote and a bulk transfer for each payee FSP. */
  payBulk(order: BulkOrder): Promise<BulkResult>
  /** Who a party is, and which FSP serves it. `currency`: where it has an account for each. */
  lookUp(party: PartyId, currency?: string): Promise<PartyResult>
  quote(order: QuoteOrder): Promise<QuoteResult>
  /** Resolves at the latest `margin_ms` after the expiration. */
  transfer(order: TransferOrder): Promise<TransferResult>
  /** As the payee's FSP: asks another FSP for a payment of its customer. */
  requestPayment(order: RequestOrder): Promise<RequestResult>
  /** Tells the scheme that the party is this FSP's customer. */
  associate(party: PartyId, currency?: string): Promise<AssociationResult>
  disassociate(party: PartyId, currency?: string): Promise<AssociationResult>
  /** Towards PISPs: consents of its users, and what they allow. */
  readonly dfsp: Dfsp
  /** As a PISP: linking users' accounts at DFSPs, and paying from them. */
  readonly pisp: Pisp
  /** Whether the hub is reached, reaches this FSP, and each takes the other's signature. */
  ping(): Promise<PingResult>
  /** Takes a message of the hub; what it returns is the answer to it. */
  receive(message: InboundMessage): Promise<Judgement>
  /** Everything that is open ends UNRESOLVED. */
  close(): Promise<void>
}

/** Throws TypeError for a signing key that cannot sign so. */
export function createFsp(options: FspOptions): Fsp {
  const { name, keysOf, onDropped } = options
  const { transport, link } = connect(options)
  const secrecy = openSecrecy(options.encryption)
  const hubName = options.hubName ?? 'Hub'
  const own = new Set([hubName, ...authServicesOf(options)])
  const prove = proveWith(
    keysOf && openKeyring((fspId) => (own.has(fspId) ? hubKeys(transport) : keysOf(fspId))),
  )
  const roles = openRoles(options, { hubName, link, secrecy })
  const { hearers } = roles
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
      const judgement = await takeInbound({ name, hearers, prove, secrecy }, message)
      const { error } = judgement
      if (error !== undefined) onDropped?.(message.method, message.target, error)
      return judgement
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

interface Ways {
  readonly hubName: string
  readonly link: HubLink
  readonly secrecy: Secrecy
}

/** The sides that an FSP takes, each with what it waits for. */
function openRoles(options: FspOptions, ways: Ways) {
  const {
    name,
    silence_ms = 3_000,
    margin_ms = 15_000,
    patience_ms = 10_000,
    remembered_max = 100_000,
  } = options
  const parts = { name, ...ways, silence_ms, margin_ms, patience_ms, remembered_max }
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
  const resolver = resolveWith(transfers, silence_ms)
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
  const hearers: Hearers = {
    ...lookups.hearers,
    ...associations.hearers,
    ...quotes.hearers,
    ...quotePayeeHearers(payeeParts),
    ...bulkHearers(payeeParts, { bulkQuotes, bulkTransfers, payee: openBulkPayee(payeeParts) }),
    ...transferHearers(transfers, payee),
    ...requests.hearers,
    ...authorizer.hearers,
    ...requestPayerHearers({
      ...parts,
      authorizer,
      pay: (order) => pay(paying, order),
      onRequest: options.onRequest ?? rejectRequest,
      onRequestOutcome: options.onRequestOutcome ?? (() => undefined),
    }),
    ...pings.hearers,
    ...thirdPartyHearers(pisp.hearers, dfsp.hearers),
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
    hearers,
    open: [...open, ...bulks, dfsp, pisp, resolver],
  }
}

/** Whose keys the hub tells: its own auth service is a part of it. */
function authServicesOf({ dfsp, pisp }: FspOptions): readonly string[] {
  const asked = dfsp === undefined ? undefined : authServiceOf(dfsp)
  return [pisp?.authService ?? authService_usually, ...(asked === undefined ? [] : [asked])]
}

const rejectRequest = () =>
  ({ type: 'REJECT', error: errorInformation('4102', 'no requests are paid here') }) as const

/** What the FSP decides, told on to its own open requests: they end with the transfer. */
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
