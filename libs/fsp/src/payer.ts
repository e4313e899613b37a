/**
 * The payer's side of a transfer: it is posted, the outcome comes as a callback, and after a silence
 * the hub is asked, so that a lost callback costs time and never the truth.
 */
import type { ErrorInformation } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import type { HubLink, Outgoing } from './hub-link.ts'
import type { Hearing, Inbound } from './inbound.ts'
import { askMessage, prepareMessage, type Route } from './messages.ts'
import type { TransferOrder, TransferResult } from './outcome.ts'
import { errorIn, verdictOfError, verdictOfState } from './verdict.ts'

export interface PayerOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  /** Without a word for so long, the hub is asked, and again after each further such time. */
  readonly silence_ms: number
  /** So long after the expiration the outcome is still waited for. */
  readonly margin_ms: number
}

export interface Payer {
  transfer(order: TransferOrder): Promise<TransferResult>
  hear(message: Extract<Inbound, { kind: 'STATE' | 'ERROR' }>): Hearing
  /** Everything that is open ends UNRESOLVED. */
  close(): void
}

interface Open {
  readonly id: string
  readonly order: TransferOrder
  readonly route: Route
  readonly begun_ms: number
  readonly deadline_ms: number
  readonly resolve: (result: TransferResult) => void
  timer: NodeJS.Timeout | undefined
  lastError: ErrorInformation | undefined
}

interface Transfers extends PayerOptions {
  readonly open: Map<string, Open>
}

type Without<Result> = Result extends unknown ? Omit<Result, 'transferId' | 'ms'> : never

export function openPayer(options: PayerOptions): Payer {
  const transfers: Transfers = { ...options, open: new Map() }
  return {
    transfer: (order) => new Promise((resolve) => begin(transfers, order, resolve)),
    hear(message) {
      const transfer = transfers.open.get(message.id)
      return transfer === undefined ? 'NOT_MINE' : judge(transfers, transfer, message)
    },
    close() {
      for (const transfer of transfers.open.values()) giveUp(transfers, transfer)
    },
  }
}

/** The transfer is open before it is sent: the callback may come before the acknowledgement. */
function begin(
  transfers: Transfers,
  order: TransferOrder,
  resolve: (result: TransferResult) => void,
): void {
  const transfer: Open = {
    id: order.transferId ?? randomUUID(),
    order,
    route: { from: transfers.name, to: order.payeeFsp },
    begun_ms: performance.now(),
    deadline_ms: order.expiration.getTime() + transfers.margin_ms,
    resolve,
    timer: undefined,
    lastError: undefined,
  }
  if (transfers.open.has(transfer.id)) throw new Error(`${transfer.id} is under way already`)
  const message = prepareMessage(transfer.route, transfer.id, order)
  transfers.open.set(transfer.id, transfer)
  void post(transfers, transfer, message)
}

async function post(transfers: Transfers, transfer: Open, message: Outgoing): Promise<void> {
  const answer = await transfers.link.sendUntil(message, transfer.order.expiration.getTime())
  if (answer !== undefined && isRefusal(answer.status)) {
    settle(transfers, transfer, {
      state: 'REFUSED',
      status: answer.status,
      error: errorIn(answer),
    })
  } else {
    listen(transfers, transfer)
  }
}

function isRefusal(status: number): boolean {
  return (status >= 400 && status < 500) || status === 501
}

/** Waits for the next silence to end, or for the deadline if that comes first. */
function listen(transfers: Transfers, transfer: Open): void {
  if (!transfers.open.has(transfer.id)) return
  const left_ms = transfer.deadline_ms - Date.now()
  if (left_ms <= 0) {
    giveUp(transfers, transfer)
    return
  }
  const wait_ms = Math.min(transfers.silence_ms, left_ms)
  transfer.timer = setTimeout(() => void ask(transfers, transfer), wait_ms)
}

async function ask(transfers: Transfers, transfer: Open): Promise<void> {
  if (Date.now() < transfer.deadline_ms) {
    await transfers.link.send(askMessage(transfer.route, transfer.id))
  }
  listen(transfers, transfer)
}

function judge(
  transfers: Transfers,
  transfer: Open,
  message: Extract<Inbound, { kind: 'STATE' | 'ERROR' }>,
): Hearing {
  if (message.source !== transfers.hubName && message.source !== transfer.order.payeeFsp) {
    return { disbelieved: `${message.source} has no part in the transfer` }
  }
  const verdict =
    message.kind === 'ERROR'
      ? verdictOfError(message.error)
      : verdictOfState(message.body, transfer.order.condition)
  switch (verdict.state) {
    case 'COMMITTED':
    case 'ABORTED':
      settle(transfers, transfer, verdict)
      return 'HEARD'
    case 'OPEN':
      transfer.lastError = verdict.error ?? transfer.lastError
      return 'HEARD'
    case 'DISBELIEVED':
      return { disbelieved: verdict.why }
  }
}

function giveUp(transfers: Transfers, transfer: Open): void {
  settle(transfers, transfer, { state: 'UNRESOLVED', error: transfer.lastError })
}

function settle(transfers: Transfers, transfer: Open, outcome: Without<TransferResult>): void {
  if (!transfers.open.delete(transfer.id)) return
  clearTimeout(transfer.timer)
  const ms = Math.round((performance.now() - transfer.begun_ms) * 10) / 10
  transfer.resolve({ transferId: transfer.id, ms, ...outcome })
}
