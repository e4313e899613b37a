/**
 * The payer's side of a transfer: sends it, receives the outcome as a callback, and asks the hub
 * when no callback arrives, so that a lost callback costs time and never the truth.
 */
import type { ErrorInformation, PutTransfersAnswer } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { openPendingRequests } from '../pending-requests.ts'
import type { HubLink } from '../hub/link.ts'
import type { HandlerResult } from '../inbound.ts'
import { askMessage, prepareMessage } from './messages.ts'
import type { TransferOrder, TransferResult } from './outcome.ts'
import { verdictOfError, verdictOfState, type TransferVerdict } from './verdict.ts'

export interface PayerOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  /** After so long without an answer the hub is asked, and again after each such time. */
  readonly resendAfter_ms: number
  /** How long after the expiration the outcome is still awaited. */
  readonly margin_ms: number
}

/** A message about a transfer, for its payer or its payee. */
export type TransferMessage = { readonly id: string; readonly source: string } & (
  | { readonly kind: 'STATE'; readonly body: PutTransfersAnswer }
  | { readonly kind: 'ERROR'; readonly error: ErrorInformation }
  | { readonly kind: 'NOTICE'; readonly state: 'COMMITTED' | 'ABORTED' }
)

export interface Payer {
  transfer(order: TransferOrder): Promise<TransferResult>
  /** Asks how an UNRESOLVED transfer ended, until it is known or `until_ms` (of Date.now). */
  resolve(transferId: string, order: TransferOrder, until_ms: number): Promise<TransferResult>
  handle(word: Exclude<TransferMessage, { kind: 'NOTICE' }>): HandlerResult
  /** Every open transfer ends UNRESOLVED. */
  close(): void
}

type End = Extract<TransferVerdict, { state: 'COMMITTED' | 'ABORTED' }>

export function openPayer({ name, hubName, link, resendAfter_ms, margin_ms }: PayerOptions): Payer {
  const pending = openPendingRequests<TransferOrder, End>(link, resendAfter_ms)
  return {
    async transfer(order) {
      const transferId = order.transferId ?? randomUUID()
      const route = { from: name, to: order.payeeFsp }
      const until_ms = order.expiration.getTime()
      const ended = await pending.send({
        key: transferId,
        request: prepareMessage(route, transferId, order),
        until_ms,
        reminder: () => askMessage(route, transferId),
        deadline_ms: until_ms + margin_ms,
        context: order,
      })
      return { transferId, ...ended }
    },
    async resolve(transferId, order, until_ms) {
      const request = () => askMessage({ from: name, to: order.payeeFsp }, transferId)
      const ended = await pending.send({
        key: transferId,
        request: request(),
        until_ms,
        reminder: request,
        deadline_ms: until_ms,
        context: order,
      })
      return { transferId, ...ended }
    },
    handle(word) {
      const order = pending.contextOf(word.id)
      if (order === undefined) return 'NOT_MINE'
      if (word.source !== hubName && word.source !== order.payeeFsp) {
        return { rejected: `${word.source} is not a party to the transfer` }
      }
      const verdict =
        word.kind === 'ERROR'
          ? verdictOfError(word.error)
          : verdictOfState(word.body, order.condition)
      switch (verdict.state) {
        case 'COMMITTED':
        case 'ABORTED':
          pending.answer(word.id, verdict)
          return 'HANDLED'
        case 'OPEN':
          pending.noteError(word.id, verdict.error)
          return 'HANDLED'
        case 'DISBELIEVED':
          return { rejected: verdict.why }
      }
    },
    close: () => pending.close(),
  }
}
