/**
 * The payer's side of a transfer: it is posted, the outcome comes as a callback, and after a silence
 * the hub is asked, so that a lost callback costs time and never the truth.
 */
import type { ErrorInformation, PutTransfersAnswer } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { openQuestions } from '../asking.ts'
import type { HubLink } from '../hub/link.ts'
import type { Hearing } from '../inbound.ts'
import { askMessage, prepareMessage } from './messages.ts'
import type { TransferOrder, TransferResult } from './outcome.ts'
import { verdictOfError, verdictOfState, type Verdict } from './verdict.ts'

export interface PayerOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  /** Without a word for so long, the hub is asked, and again after each further such time. */
  readonly silence_ms: number
  /** So long after the expiration the outcome is still waited for. */
  readonly margin_ms: number
}

/** What was said of a transfer, to its payer or its payee. */
export type TransferWord = { readonly id: string; readonly source: string } & (
  | { readonly kind: 'STATE'; readonly body: PutTransfersAnswer }
  | { readonly kind: 'ERROR'; readonly error: ErrorInformation }
  | { readonly kind: 'NOTICE'; readonly state: 'COMMITTED' | 'ABORTED' }
)

export interface Payer {
  transfer(order: TransferOrder): Promise<TransferResult>
  /** Asks how a transfer ended that was UNRESOLVED, until it is known or `until_ms` (of Date.now). */
  resolve(transferId: string, order: TransferOrder, until_ms: number): Promise<TransferResult>
  hear(word: Exclude<TransferWord, { kind: 'NOTICE' }>): Hearing
  /** Everything that is open ends UNRESOLVED. */
  close(): void
}

type End = Extract<Verdict, { state: 'COMMITTED' | 'ABORTED' }>

export function openPayer({ name, hubName, link, silence_ms, margin_ms }: PayerOptions): Payer {
  const questions = openQuestions<TransferOrder, End>(link, silence_ms)
  return {
    async transfer(order) {
      const transferId = order.transferId ?? randomUUID()
      const route = { from: name, to: order.payeeFsp }
      const until_ms = order.expiration.getTime()
      const ended = await questions.ask({
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
      const ended = await questions.ask({
        key: transferId,
        request: request(),
        until_ms,
        reminder: request,
        deadline_ms: until_ms,
        context: order,
      })
      return { transferId, ...ended }
    },
    hear(word) {
      const order = questions.open(word.id)
      if (order === undefined) return 'NOT_MINE'
      if (word.source !== hubName && word.source !== order.payeeFsp) {
        return { disbelieved: `${word.source} has no part in the transfer` }
      }
      const verdict =
        word.kind === 'ERROR'
          ? verdictOfError(word.error)
          : verdictOfState(word.body, order.condition)
      switch (verdict.state) {
        case 'COMMITTED':
        case 'ABORTED':
          questions.answer(word.id, verdict)
          return 'HEARD'
        case 'OPEN':
          questions.note(word.id, verdict.error)
          return 'HEARD'
        case 'DISBELIEVED':
          return { disbelieved: verdict.why }
      }
    },
    close: () => questions.close(),
  }
}
