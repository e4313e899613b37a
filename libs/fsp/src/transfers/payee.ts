/**
 * The payee's side of a transfer. Each transfer is decided once and repeats get the same answer.
 * The answer is sent until the hub has it, and the hub's final state is reported once.
 */
import { type ErrorInformation, errorInformation, type PostTransfers } from '@causeway/fspiop'
import type { HubLink } from '../hub/link.ts'
import type { HandlerResult } from '../inbound.ts'
import { extensionsIn, type Route } from '../message.ts'
import {
  type CachedRequest,
  openIdempotencyCache,
  type IdempotencyCache,
} from '../idempotency-cache.ts'
import { fulfilAgreement, type Fulfilled } from './agreement.ts'
import { errorMessage, fulfilMessage, transactionMessage } from './messages.ts'
import type { IncomingTransfer, PayeeDecision, PayeeOutcome } from './outcome.ts'
import type { TransferMessage } from './payer.ts'
import { openTransactions, type Transactions } from './transactions.ts'

export interface PayeeOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  /** 32 bytes that only this FSP knows; they derive its fulfilments. */
  readonly secret: Buffer
  readonly onTransfer: (transfer: IncomingTransfer) => PayeeDecision | Promise<PayeeDecision>
  readonly onOutcome: (outcome: PayeeOutcome) => void
  readonly resendAfter_ms: number
  readonly margin_ms: number
  /** This many transfers are stored; the oldest are dropped first. */
  readonly remembered_max: number
}

export interface Payee {
  take(source: string, body: PostTransfers): HandlerResult
  handle(word: TransferMessage): HandlerResult
  /** GET /transactions/{ID}: answers the payer FSP with the state of the transaction. */
  reportTransaction(source: string, transactionId: string): HandlerResult
  close(): void
}

interface CachedTransfer extends CachedRequest {
  readonly id: string
  readonly route: Route
  timer: NodeJS.Timeout | undefined
  settled: boolean
}

interface Transfers extends PayeeOptions {
  readonly taken: IdempotencyCache<CachedTransfer>
  readonly transactions: Transactions
}

export function openPayee(options: PayeeOptions): Payee {
  const { link, remembered_max } = options
  const transactions = openTransactions()
  const forget = (transfer: CachedTransfer) => {
    settleSilently(transfer)
    transactions.forget(transfer.id)
  }
  const transfers = {
    ...options,
    transactions,
    taken: openIdempotencyCache(link, remembered_max, forget),
  }
  return {
    take: (source, body) => take(transfers, source, body),
    handle: (word) => handle(transfers, word),
    reportTransaction: (source, transactionId) =>
      reportTransaction(transfers, source, transactionId),
    close() {
      for (const transfer of transfers.taken.values()) settleSilently(transfer)
    },
  }
}

function take(transfers: Transfers, source: string, body: PostTransfers): HandlerResult {
  const { name, taken } = transfers
  const { transferId: id } = body
  if (body.payeeFsp !== name) return { rejected: `/payeeFsp: this is ${name}` }
  if (body.payerFsp !== source) return { rejected: '/payerFsp: it is not the source' }
  const terms = termsOf(body)
  const route = { from: name, to: source }
  const known = taken.get(id)
  if (known === undefined) {
    const transfer: CachedTransfer = {
      id,
      route,
      terms,
      until_ms: Date.parse(body.expiration) + transfers.margin_ms,
      answer: undefined,
      timer: undefined,
      settled: false,
    }
    taken.add(id, transfer)
    void decide(transfers, transfer, body)
  } else if (known.terms === terms) {
    taken.resend(known)
  } else {
    const modified = errorMessage(route, id, errorInformation('3106'))
    void transfers.link.sendUntil(modified, known.until_ms)
  }
  return 'HANDLED'
}

function termsOf({ payerFsp, amount, ilpPacket, condition, expiration }: PostTransfers): string {
  return [payerFsp, amount.amount, amount.currency, expiration, condition, ilpPacket].join(' ')
}

async function decide(
  transfers: Transfers,
  transfer: CachedTransfer,
  body: PostTransfers,
): Promise<void> {
  const { taken, transactions } = transfers
  const { id, route } = transfer
  const fulfilled = fulfilAgreement(transfers.secret, body, new Date())
  if ('error' in fulfilled) {
    await taken.answer(transfer, errorMessage(route, id, fulfilled.error))
    return
  }
  if (fulfilled.transaction !== undefined) {
    transactions.add(id, fulfilled.transaction.transactionId, body.payerFsp)
  }
  const decision = await decisionOf(transfers, body, fulfilled)
  switch (decision.type) {
    case 'COMMIT':
      transactions.set(id, 'COMPLETED')
      await taken.answer(
        transfer,
        fulfilMessage(route, id, 'COMMITTED', { ...decision, ...fulfilled }),
      )
      return
    case 'RESERVE':
      transactions.set(id, 'PENDING')
      await taken.answer(
        transfer,
        fulfilMessage(route, id, 'RESERVED', { ...decision, ...fulfilled }),
      )
      awaitOutcome(transfers, transfer)
      return
    case 'REJECT':
      transactions.set(id, 'REJECTED')
      await taken.answer(transfer, errorMessage(route, id, decision.error))
      return
    case 'IGNORE':
      return
  }
}

/** An FSP whose own systems fail has not accepted the transfer. */
export async function decisionOf(
  transfers: Pick<PayeeOptions, 'onTransfer'>,
  body: PostTransfers,
  { transaction }: Exclude<Fulfilled, { error: unknown }>,
): Promise<PayeeDecision> {
  try {
    return await transfers.onTransfer({
      transferId: body.transferId,
      payerFsp: body.payerFsp,
      amount: { currency: body.amount.currency, amount: body.amount.amount },
      ilpPacket: body.ilpPacket,
      expiration: new Date(body.expiration),
      extensions: extensionsIn(body.extensionList),
      transaction,
    })
  } catch {
    return { type: 'REJECT', error: errorInformation('5000') }
  }
}

/**
 * An FSP that sent RESERVED waits for the hub's confirmation, and sends its own answer again when
 * it does not arrive: the hub accepts the answer if it was lost, and repeats its confirmation if
 * not. FSPIOP 6.7.
 */
function awaitOutcome(transfers: Transfers, transfer: CachedTransfer): void {
  if (transfer.settled) return
  const left_ms = transfer.until_ms - Date.now()
  if (left_ms <= 0) {
    settle(transfers, transfer, 'UNRESOLVED')
    return
  }
  const wait_ms = Math.min(transfers.resendAfter_ms, left_ms)
  transfer.timer = setTimeout(() => void resendAnswer(transfers, transfer), wait_ms)
}

async function resendAnswer(transfers: Transfers, transfer: CachedTransfer): Promise<void> {
  const { answer, until_ms } = transfer
  if (answer !== undefined && Date.now() < until_ms) await transfers.link.send(answer)
  awaitOutcome(transfers, transfer)
}

function handle(transfers: Transfers, word: TransferMessage): HandlerResult {
  const transfer = transfers.taken.get(word.id)
  if (transfer === undefined) return 'NOT_MINE'
  if (word.source !== transfers.hubName) return { rejected: `${word.source} is not the hub` }
  switch (word.kind) {
    case 'NOTICE':
      settle(transfers, transfer, word.state)
      break
    case 'STATE': {
      const { transferState } = word.body
      if (transferState === 'COMMITTED' || transferState === 'ABORTED') {
        settle(transfers, transfer, transferState)
      }
      break
    }
    case 'ERROR':
      if (endsTransfer(word.error)) settle(transfers, transfer, 'ABORTED', word.error)
  }
  return 'HANDLED'
}

function reportTransaction(
  { name, link, transactions, margin_ms }: Transfers,
  source: string,
  id: string,
) {
  const answer = transactionMessage(
    { from: name, to: source },
    id,
    transactions.stateFor(id, source),
  )
  void link.sendUntil(answer, Date.now() + margin_ms)
  return 'HANDLED' as const
}

/**
 * 3106 and 3208 refuse a message, 1xxx and 2xxx report technical faults: the transfer itself
 * continues.
 */
function endsTransfer({ errorCode }: ErrorInformation): boolean {
  return !/^[12]|^3106$|^3208$/.test(errorCode)
}

function settle(
  transfers: Transfers,
  transfer: CachedTransfer,
  state: PayeeOutcome['state'],
  error?: ErrorInformation,
): void {
  if (transfer.settled) return
  settleSilently(transfer)
  if (state === 'COMMITTED') transfers.transactions.set(transfer.id, 'COMPLETED')
  if (state === 'ABORTED') transfers.transactions.set(transfer.id, 'REJECTED')
  transfers.onOutcome({ transferId: transfer.id, state, error })
}

function settleSilently(transfer: CachedTransfer): void {
  transfer.settled = true
  clearTimeout(transfer.timer)
}
