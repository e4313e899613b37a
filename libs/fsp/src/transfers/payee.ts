/**
 * The payee's side of a transfer: each is decided once and answered the same however often it comes,
 * the answer is sent until the hub has it, and the hub's own word about it is told once.
 */
import { type ErrorInformation, errorInformation, type PostTransfers } from '@causeway/fspiop'
import type { HubLink } from '../hub/link.ts'
import type { Hearing } from '../inbound.ts'
import { extensionsIn, type Route } from '../message.ts'
import { type Asked, openRepeats, type Repeats } from '../repeats.ts'
import { keepAgreement, type Kept } from './agreement.ts'
import { errorMessage, fulfilMessage, transactionMessage } from './messages.ts'
import type { IncomingTransfer, PayeeDecision, PayeeOutcome } from './outcome.ts'
import type { TransferWord } from './payer.ts'
import { openTransactions, type Transactions } from './transactions.ts'

export interface PayeeOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  /** 32 bytes that only this FSP knows: its fulfilments are made with it. */
  readonly secret: Buffer
  readonly onTransfer: (transfer: IncomingTransfer) => PayeeDecision | Promise<PayeeDecision>
  readonly onOutcome: (outcome: PayeeOutcome) => void
  readonly silence_ms: number
  readonly margin_ms: number
  /** So many transfers are remembered; the oldest are forgotten first. */
  readonly remembered_max: number
}

export interface Payee {
  take(source: string, body: PostTransfers): Hearing
  hear(word: TransferWord): Hearing
  /** GET /transactions/{ID}: answers the payer FSP with what has become of the payment. */
  tell(source: string, transactionId: string): Hearing
  close(): void
}

interface Taken extends Asked {
  readonly id: string
  readonly route: Route
  timer: NodeJS.Timeout | undefined
  settled: boolean
}

interface Transfers extends PayeeOptions {
  readonly taken: Repeats<Taken>
  readonly transactions: Transactions
}

export function openPayee(options: PayeeOptions): Payee {
  const { link, remembered_max } = options
  const transactions = openTransactions()
  const forget = (transfer: Taken) => {
    settleSilently(transfer)
    transactions.forget(transfer.id)
  }
  const transfers = { ...options, transactions, taken: openRepeats(link, remembered_max, forget) }
  return {
    take: (source, body) => take(transfers, source, body),
    hear: (word) => hear(transfers, word),
    tell: (source, transactionId) => tell(transfers, source, transactionId),
    close() {
      for (const transfer of transfers.taken.values()) settleSilently(transfer)
    },
  }
}

function take(transfers: Transfers, source: string, body: PostTransfers): Hearing {
  const { name, taken } = transfers
  const { transferId: id } = body
  if (body.payeeFsp !== name) return { disbelieved: `/payeeFsp: this is ${name}` }
  if (body.payerFsp !== source) return { disbelieved: '/payerFsp: it is not the source' }
  const terms = termsOf(body)
  const route = { from: name, to: source }
  const known = taken.get(id)
  if (known === undefined) {
    const transfer: Taken = {
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
    taken.repeat(known)
  } else {
    const modified = errorMessage(route, id, errorInformation('3106'))
    void transfers.link.sendUntil(modified, known.until_ms)
  }
  return 'HEARD'
}

function termsOf({ payerFsp, amount, ilpPacket, condition, expiration }: PostTransfers): string {
  return [payerFsp, amount.amount, amount.currency, expiration, condition, ilpPacket].join(' ')
}

async function decide(transfers: Transfers, transfer: Taken, body: PostTransfers): Promise<void> {
  const { taken, transactions } = transfers
  const { id, route } = transfer
  const kept = keepAgreement(transfers.secret, body, new Date())
  if ('error' in kept) {
    await taken.say(transfer, errorMessage(route, id, kept.error))
    return
  }
  if (kept.transaction !== undefined) {
    transactions.add(id, kept.transaction.transactionId, body.payerFsp)
  }
  const decision = await decisionOf(transfers, body, kept)
  switch (decision.type) {
    case 'COMMIT':
      transactions.set(id, 'COMPLETED')
      await taken.say(transfer, fulfilMessage(route, id, 'COMMITTED', { ...decision, ...kept }))
      return
    case 'RESERVE':
      transactions.set(id, 'PENDING')
      await taken.say(transfer, fulfilMessage(route, id, 'RESERVED', { ...decision, ...kept }))
      listen(transfers, transfer)
      return
    case 'REJECT':
      transactions.set(id, 'REJECTED')
      await taken.say(transfer, errorMessage(route, id, decision.error))
      return
    case 'IGNORE':
      return
  }
}

/** An FSP whose own books fail has not taken the money. */
export async function decisionOf(
  transfers: Pick<PayeeOptions, 'onTransfer'>,
  body: PostTransfers,
  { transaction }: Exclude<Kept, { error: unknown }>,
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
 * An FSP that asked for the hub's word waits for it, and says its own again when that does not come: the
 * hub takes it if it had got lost, and repeats its word if not. FSPIOP 6.7.
 */
function listen(transfers: Transfers, transfer: Taken): void {
  if (transfer.settled) return
  const left_ms = transfer.until_ms - Date.now()
  if (left_ms <= 0) {
    settle(transfers, transfer, 'UNRESOLVED')
    return
  }
  const wait_ms = Math.min(transfers.silence_ms, left_ms)
  transfer.timer = setTimeout(() => void sayAgain(transfers, transfer), wait_ms)
}

async function sayAgain(transfers: Transfers, transfer: Taken): Promise<void> {
  const { answer, until_ms } = transfer
  if (answer !== undefined && Date.now() < until_ms) await transfers.link.send(answer)
  listen(transfers, transfer)
}

function hear(transfers: Transfers, word: TransferWord): Hearing {
  const transfer = transfers.taken.get(word.id)
  if (transfer === undefined) return 'NOT_MINE'
  if (word.source !== transfers.hubName) return { disbelieved: `${word.source} is not the hub` }
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
  return 'HEARD'
}

function tell({ name, link, transactions, margin_ms }: Transfers, source: string, id: string) {
  const answer = transactionMessage({ from: name, to: source }, id, transactions.tell(id, source))
  void link.sendUntil(answer, Date.now() + margin_ms)
  return 'HEARD' as const
}

/** 3106 and 3208 answer a message, 1xxx and 2xxx tell of troubles: the transfer itself goes on. */
function endsTransfer({ errorCode }: ErrorInformation): boolean {
  return !/^[12]|^3106$|^3208$/.test(errorCode)
}

function settle(
  transfers: Transfers,
  transfer: Taken,
  state: PayeeOutcome['state'],
  error?: ErrorInformation,
): void {
  if (transfer.settled) return
  settleSilently(transfer)
  if (state === 'COMMITTED') transfers.transactions.set(transfer.id, 'COMPLETED')
  if (state === 'ABORTED') transfers.transactions.set(transfer.id, 'REJECTED')
  transfers.onOutcome({ transferId: transfer.id, state, error })
}

function settleSilently(transfer: Taken): void {
  transfer.settled = true
  clearTimeout(transfer.timer)
}
