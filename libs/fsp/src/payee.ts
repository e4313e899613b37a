/**
 * The payee's side of a transfer: each is decided once and answered the same however often it comes,
 * the answer is sent until the hub has it, and the hub's own word about it is told once.
 */
import { type ErrorInformation, errorInformation, type PostTransfers } from '@causeway/fspiop'
import { keepAgreement } from './agreement.ts'
import type { HubLink, Outgoing } from './hub-link.ts'
import type { Hearing, Inbound } from './inbound.ts'
import { askMessage, errorMessage, fulfilMessage, type Route } from './messages.ts'
import type { IncomingTransfer, PayeeDecision, PayeeOutcome } from './outcome.ts'

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
  take(message: Extract<Inbound, { kind: 'TRANSFER' }>): Hearing
  hear(message: Exclude<Inbound, { kind: 'TRANSFER' | 'DROPPED' }>): Hearing
  close(): void
}

interface Taken {
  readonly id: string
  readonly route: Route
  /** What the transfer says; a repeat says the same. */
  readonly terms: string
  readonly deadline_ms: number
  /** Undefined while it is being decided, and when nothing is to be said. */
  answer: Outgoing | undefined
  timer: NodeJS.Timeout | undefined
  settled: boolean
}

interface Transfers extends PayeeOptions {
  readonly taken: Map<string, Taken>
}

export function openPayee(options: PayeeOptions): Payee {
  const transfers: Transfers = { ...options, taken: new Map() }
  return {
    take: (message) => take(transfers, message),
    hear: (message) => hear(transfers, message),
    close() {
      for (const transfer of transfers.taken.values()) settleSilently(transfer)
    },
  }
}

function take(
  transfers: Transfers,
  { id, source, body }: Extract<Inbound, { kind: 'TRANSFER' }>,
): Hearing {
  const { name, link, taken } = transfers
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
      deadline_ms: Date.parse(body.expiration) + transfers.margin_ms,
      answer: undefined,
      timer: undefined,
      settled: false,
    }
    remember(transfers, transfer)
    void decide(transfers, transfer, body)
  } else if (known.terms !== terms) {
    void link.sendUntil(errorMessage(route, id, errorInformation('3106')), known.deadline_ms)
  } else if (known.answer !== undefined) {
    void link.sendUntil(known.answer, known.deadline_ms)
  }
  return 'HEARD'
}

function termsOf({ payerFsp, amount, ilpPacket, condition, expiration }: PostTransfers): string {
  return [payerFsp, amount.amount, amount.currency, expiration, condition, ilpPacket].join(' ')
}

function remember({ taken, remembered_max }: Transfers, transfer: Taken): void {
  taken.set(transfer.id, transfer)
  if (taken.size <= remembered_max) return
  const [oldest] = taken.values()
  if (oldest === undefined) return
  settleSilently(oldest)
  taken.delete(oldest.id)
}

async function decide(transfers: Transfers, transfer: Taken, body: PostTransfers): Promise<void> {
  const { id, route } = transfer
  const kept = keepAgreement(transfers.secret, body, new Date())
  if ('error' in kept) {
    await say(transfers, transfer, errorMessage(route, id, kept.error))
    return
  }
  const decision = await decisionOf(transfers, body)
  switch (decision.type) {
    case 'COMMIT':
      await say(transfers, transfer, fulfilMessage(route, id, 'COMMITTED', kept.fulfilment))
      return
    case 'RESERVE':
      await say(transfers, transfer, fulfilMessage(route, id, 'RESERVED', kept.fulfilment))
      listen(transfers, transfer)
      return
    case 'REJECT':
      await say(transfers, transfer, errorMessage(route, id, decision.error))
      return
    case 'IGNORE':
      return
  }
}

/** An FSP whose own books fail has not taken the money. */
async function decisionOf(transfers: Transfers, body: PostTransfers): Promise<PayeeDecision> {
  try {
    return await transfers.onTransfer({
      transferId: body.transferId,
      payerFsp: body.payerFsp,
      amount: { currency: body.amount.currency, amount: body.amount.amount },
      ilpPacket: body.ilpPacket,
      expiration: new Date(body.expiration),
      extensions: new Map(body.extensionList?.extension.map(({ key, value }) => [key, value])),
    })
  } catch {
    return { type: 'REJECT', error: errorInformation('5000') }
  }
}

async function say(transfers: Transfers, transfer: Taken, answer: Outgoing): Promise<void> {
  transfer.answer = answer
  await transfers.link.sendUntil(answer, transfer.deadline_ms)
}

/** An FSP that asked for the hub's word waits for it, and asks when it does not come. */
function listen(transfers: Transfers, transfer: Taken): void {
  if (transfer.settled) return
  const left_ms = transfer.deadline_ms - Date.now()
  if (left_ms <= 0) {
    settle(transfers, transfer, 'UNRESOLVED')
    return
  }
  const wait_ms = Math.min(transfers.silence_ms, left_ms)
  transfer.timer = setTimeout(() => void ask(transfers, transfer), wait_ms)
}

async function ask(transfers: Transfers, transfer: Taken): Promise<void> {
  if (Date.now() < transfer.deadline_ms) {
    await transfers.link.send(askMessage(transfer.route, transfer.id))
  }
  listen(transfers, transfer)
}

function hear(
  transfers: Transfers,
  message: Exclude<Inbound, { kind: 'TRANSFER' | 'DROPPED' }>,
): Hearing {
  const transfer = transfers.taken.get(message.id)
  if (transfer === undefined) return 'NOT_MINE'
  if (message.source !== transfers.hubName) {
    return { disbelieved: `${message.source} is not the hub` }
  }
  switch (message.kind) {
    case 'NOTICE':
      settle(transfers, transfer, message.state)
      break
    case 'STATE': {
      const { transferState } = message.body
      if (transferState === 'COMMITTED' || transferState === 'ABORTED') {
        settle(transfers, transfer, transferState)
      }
      break
    }
    case 'ERROR':
      if (endsTransfer(message.error)) settle(transfers, transfer, 'ABORTED', message.error)
  }
  return 'HEARD'
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
  transfers.onOutcome({ transferId: transfer.id, state, error })
}

function settleSilently(transfer: Taken): void {
  transfer.settled = true
  clearTimeout(transfer.timer)
}
