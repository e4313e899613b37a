/**
 * The PISP's side of a payment: looks up the payee, asks the DFSP to pay, has the user sign the
 * terms, and receives the outcome from the DFSP. No outcome until the expiration is a failure.
 * Third-Party API 1.0, transfer.
 */
import {
  errorBody,
  type ErrorInformation,
  errorInformation,
  patchThirdpartyTransactions,
  type PostThirdpartyAuthorizations,
  postThirdpartyAuthorizations,
  putThirdpartyTransactions,
  type TransactionType,
  writeDateTime,
} from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { type Amount, moneyOf } from '../../amount.ts'
import { openPendingRequests, type PendingRequests, tenths } from '../../pending-requests.ts'
import { type Failed, informationIn } from '../../errors.ts'
import type { HubLink } from '../../hub/link.ts'
import {
  bodyOf,
  type InboundHandlers,
  type HandlerResult,
  idOf,
  type Received,
} from '../../inbound.ts'
import { type Outgoing, writeMessage } from '../../message.ts'
import type { Lookups } from '../../parties/lookups.ts'
import { type PartyId, writeParty } from '../../parties/party.ts'
import type { ServedParty } from '../../payments/payment.ts'
import {
  type CachedRequest,
  openIdempotencyCache,
  type IdempotencyCache,
} from '../../idempotency-cache.ts'
import type { FieldEncryption } from '../../field-encryption.ts'
import type { SignedPayload } from '../consent.ts'

export interface ThirdPartyOrder {
  /** A new UUID when left out. */
  readonly transactionRequestId?: string
  readonly dfspId: string
  /** The address of the user's account there. */
  readonly account: string
  /** Looked up first, unless its FSP is given. */
  readonly to: (PartyId & { readonly fspId?: undefined }) | ServedParty
  /** SEND (when left out): the user gives exactly this; RECEIVE: the payee gets exactly this. */
  readonly amountType?: 'SEND' | 'RECEIVE'
  readonly amount: Amount
  /** TRANSFER by a CONSUMER when left out. */
  readonly transactionType?: TransactionType
  readonly note?: string
  readonly expiration: Date
  /** The user's signature over the challenge; undefined: the user rejects the terms. */
  readonly sign: (asked: TermsToSign) => Promise<SignedPayload | undefined>
}

/** What the user sees; amounts where the DFSP discloses them. */
export interface TermsToSign {
  /** The text to sign: a FIDO key signs the bytes that it encodes in base64url. */
  readonly challenge: string
  readonly transferAmount: Amount | undefined
  readonly payeeReceiveAmount: Amount | undefined
  readonly fees: Amount | undefined
  readonly payee: ServedParty
}

export type ThirdPartyLeg = 'lookup' | 'request' | 'authorization'

export type ThirdPartyResult = {
  readonly transactionRequestId: string
  /** Undefined: the request did not reach the DFSP. */
  readonly transactionId: string | undefined
  readonly payee: ServedParty | undefined
  /** Milliseconds, the user's own part included. */
  readonly ms: { readonly lookup?: number; readonly terms?: number; readonly total: number }
} & ThirdPartyEnd

export type ThirdPartyEnd =
  | { readonly state: 'COMPLETED'; readonly completedTimestamp: string | undefined }
  /** The user rejected the terms. */
  | { readonly state: 'REJECTED' }
  | {
      /** The DFSP or the hub reported it, or no outcome arrived until the expiration (3301). */
      readonly state: 'FAILED'
      readonly leg: ThirdPartyLeg
      readonly error: ErrorInformation
    }

export interface PayingOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly fieldEncryption: FieldEncryption
  readonly lookups: Pick<Lookups, 'lookUp'>
  readonly resendAfter_ms: number
  readonly remembered_max: number
}

export interface Paying {
  pay(order: ThirdPartyOrder): Promise<ThirdPartyResult>
  readonly handlers: InboundHandlers
  close(): void
}

interface ThirdPartyPaymentInProgress {
  readonly order: ThirdPartyOrder
  readonly id: string
  readonly begun_ms: number
  readonly ms: { lookup?: number; terms?: number }
  payee: ServedParty | undefined
  transactionId: string | undefined
}

type Word =
  | { readonly state: 'COMPLETED'; readonly completedTimestamp: string | undefined }
  | { readonly state: 'REJECTED' }
  | Failed

interface PayingParts extends PayingOptions {
  readonly pending: PendingRequests<ThirdPartyPaymentInProgress, Word>
  readonly authorizations: IdempotencyCache<CachedRequest>
}

const path = '/thirdpartyRequests/transactions'
const defaultType = {
  scenario: 'TRANSFER',
  initiator: 'PAYER',
  initiatorType: 'CONSUMER',
} as const

export function openPaying(options: PayingOptions): Paying {
  const { link, resendAfter_ms, remembered_max } = options
  const pending = openPendingRequests<ThirdPartyPaymentInProgress, Word>(link, resendAfter_ms)
  const parts: PayingParts = {
    ...options,
    pending,
    authorizations: openIdempotencyCache(link, remembered_max),
  }
  return {
    pay: (order) => pay(parts, order),
    handlers: {
      'PUT /thirdpartyRequests/transactions/{ID}': (message) => takeState(parts, message),
      'PATCH /thirdpartyRequests/transactions/{ID}': (message) => takeEnd(parts, message),
      'PUT /thirdpartyRequests/transactions/{ID}/error': (message) => takeError(parts, message),
      'POST /thirdpartyRequests/authorizations': (message) => takeTerms(parts, message),
    },
    close: () => pending.close(),
  }
}

async function pay(parts: PayingParts, order: ThirdPartyOrder): Promise<ThirdPartyResult> {
  const run: ThirdPartyPaymentInProgress = {
    order,
    id: order.transactionRequestId ?? randomUUID(),
    begun_ms: performance.now(),
    ms: {},
    payee: undefined,
    transactionId: undefined,
  }
  const end = await follow(parts, run)
  const { id: transactionRequestId, transactionId, payee } = run
  const ms = { ...run.ms, total: tenths(performance.now() - run.begun_ms) }
  return { transactionRequestId, transactionId, payee, ms, ...end }
}

async function follow(
  parts: PayingParts,
  run: ThirdPartyPaymentInProgress,
): Promise<ThirdPartyEnd> {
  const { pending, lookups } = parts
  const { order, id } = run
  const { to, amount, expiration } = order
  if (to.fspId === undefined) {
    const found = await lookups.lookUp(to, amount.currency)
    run.ms.lookup = found.ms
    if (found.state !== 'FOUND')
      return { state: 'FAILED', leg: 'lookup', error: errorOr2004(found) }
    run.payee = found.party
  } else {
    run.payee = to
  }
  const deadline_ms = expiration.getTime()
  const { payee } = run
  // An equal request gets the DFSP's last answer again: its fields are encrypted once.
  const { body, encryption } = requestBody(parts, run, payee)
  const route = { from: parts.name, to: order.dfspId }
  const request = () => writeMessage('POST', path, route, body, encryption)
  const ended = await pending.send({
    key: id,
    request: request(),
    until_ms: deadline_ms,
    reminder: request,
    deadline_ms,
    context: run,
  })
  switch (ended.state) {
    case 'COMPLETED':
      return { state: ended.state, completedTimestamp: ended.completedTimestamp }
    case 'REJECTED':
      return { state: ended.state }
    case 'FAILED':
    case 'REFUSED':
    case 'UNRESOLVED': {
      const leg = run.ms.terms === undefined ? 'request' : 'authorization'
      const noOutcome = errorInformation('3301', 'the DFSP did not report the outcome')
      return { state: 'FAILED', leg, error: ended.state === 'UNRESOLVED' ? noOutcome : ended.error }
    }
  }
}

function errorOr2004({ error }: { readonly error?: ErrorInformation | undefined }) {
  return error ?? errorInformation('2004', 'no answer to the lookup in time')
}

function requestBody(
  { fieldEncryption }: PayingParts,
  { order, id }: ThirdPartyPaymentInProgress,
  payee: ServedParty,
) {
  const { dfspId, account, amountType = 'SEND', transactionType = defaultType, note } = order
  return fieldEncryption.encrypt(dfspId, {
    transactionRequestId: id,
    payee: writeParty(payee, payee.fspId),
    payer: { partyIdType: 'THIRD_PARTY_LINK', partyIdentifier: account, fspId: dfspId },
    amountType,
    amount: moneyOf(order.amount),
    transactionType,
    ...(note === undefined ? {} : { note }),
    expiration: writeDateTime(order.expiration),
  })
}

/** The open payment of a message, or why its sender has no part in it. */
function runOf({ pending, hubName }: PayingParts, { source }: Received, id: string) {
  const run = pending.contextOf(id)
  if (run === undefined) return 'NOT_MINE'
  if (source === run.order.dfspId || source === hubName) return run
  return { rejected: `${source} is not a party to the payment` }
}

/** Only final states end the payment: an answer to GET may carry one. */
function takeState(parts: PayingParts, message: Received): HandlerResult {
  const id = idOf(message)
  const run = runOf(parts, message, id)
  if (run === 'NOT_MINE' || 'rejected' in run) return run
  const reading = bodyOf(putThirdpartyTransactions, message)
  if (!reading.ok) return { rejected: reading.detail }
  const { transactionId, transactionRequestState } = reading.value
  run.transactionId = transactionId ?? run.transactionId
  const { transactionState, completedTimestamp } = reading.json as Readonly<Record<string, unknown>>
  if (transactionRequestState === 'REJECTED') parts.pending.answer(id, { state: 'REJECTED' })
  if (transactionRequestState === 'ACCEPTED' && transactionState === 'COMPLETED') {
    const timestamp = typeof completedTimestamp === 'string' ? completedTimestamp : undefined
    parts.pending.answer(id, { state: 'COMPLETED', completedTimestamp: timestamp })
  }
  return 'HANDLED'
}

function takeEnd(parts: PayingParts, message: Received): HandlerResult {
  const id = idOf(message)
  const run = runOf(parts, message, id)
  if (run === 'NOT_MINE' || 'rejected' in run) return run
  const reading = bodyOf(patchThirdpartyTransactions, message)
  if (!reading.ok) return { rejected: reading.detail }
  const { transactionRequestState, transactionState, completedTimestamp } = reading.value
  if (transactionRequestState === 'REJECTED' || transactionState === 'REJECTED') {
    parts.pending.answer(id, { state: 'REJECTED' })
  } else if (transactionRequestState === 'ACCEPTED' && transactionState === 'COMPLETED') {
    parts.pending.answer(id, { state: 'COMPLETED', completedTimestamp })
  }
  return 'HANDLED'
}

function takeError(parts: PayingParts, message: Received): HandlerResult {
  const id = idOf(message)
  const run = runOf(parts, message, id)
  if (run === 'NOT_MINE' || 'rejected' in run) return run
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return { rejected: reading.detail }
  parts.pending.answer(id, { state: 'FAILED', error: informationIn(reading.value) })
  return 'HANDLED'
}

/** The user is asked once, however often the request arrives. */
function takeTerms(parts: PayingParts, message: Received): HandlerResult {
  const reading = bodyOf(postThirdpartyAuthorizations, message)
  if (!reading.ok) return { rejected: reading.detail }
  const { source } = message
  const { authorizationRequestId: id, transactionRequestId } = reading.value
  const known = parts.authorizations.get(id)
  if (known !== undefined) {
    parts.authorizations.resend(known)
    return 'HANDLED'
  }
  const run = parts.pending.contextOf(transactionRequestId)
  const { payee } = run ?? {}
  if (run === undefined || payee === undefined || run.order.dfspId !== source) {
    void parts.link.sendUntil(refusal(parts, source, id, '3206'), Date.now() + parts.resendAfter_ms)
    return 'HANDLED'
  }
  run.ms.terms ??= tenths(performance.now() - run.begun_ms)
  const asked: CachedRequest = {
    terms: '',
    until_ms: run.order.expiration.getTime(),
    answer: undefined,
  }
  parts.authorizations.add(id, asked)
  void answerTerms(parts, run.order, payee, reading.value).then((answer) =>
    parts.authorizations.answer(asked, answer),
  )
  return 'HANDLED'
}

async function answerTerms(
  parts: PayingParts,
  order: ThirdPartyOrder,
  payee: ServedParty,
  body: PostThirdpartyAuthorizations,
): Promise<Outgoing> {
  const { authorizationRequestId: id, challenge, transferAmount, payeeReceiveAmount, fees } = body
  let signedPayload: SignedPayload | undefined
  try {
    signedPayload = await order.sign({
      challenge,
      transferAmount: transferAmount && moneyOf(transferAmount),
      payeeReceiveAmount: payeeReceiveAmount && moneyOf(payeeReceiveAmount),
      fees: fees && moneyOf(fees),
      payee,
    })
  } catch {
    return refusal(parts, order.dfspId, id, '6001')
  }
  const answer =
    signedPayload === undefined
      ? { responseType: 'REJECTED' }
      : { responseType: 'ACCEPTED', signedPayload }
  const route = { from: parts.name, to: order.dfspId }
  return writeMessage('PUT', `/thirdpartyRequests/authorizations/${id}`, route, answer)
}

function refusal(
  { name }: PayingParts,
  dfspId: string,
  id: string,
  code: '3206' | '6001',
): Outgoing {
  return writeMessage(
    'PUT',
    `/thirdpartyRequests/authorizations/${id}/error`,
    { from: name, to: dfspId },
    { errorInformation: errorInformation(code) },
  )
}
