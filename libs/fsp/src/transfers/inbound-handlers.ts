/**
 * Messages about transfers: read, and passed to the payer's or the payee's side. FSPIOP 6.7, 6.8.
 */
import { errorBody, patchTransfers, postTransfers, putTransfersAnswer } from '@causeway/fspiop'
import { informationIn } from '../errors.ts'
import {
  bodyOf,
  type InboundHandlers,
  type HandlerResult,
  idOf,
  type Received,
} from '../inbound.ts'
import type { Payee } from './payee.ts'
import type { Payer, TransferMessage } from './payer.ts'

export function transferHandlers(payer: Payer, payee: Payee): InboundHandlers {
  /** A message about a transfer that is no longer pending is accepted and changes nothing. */
  const either = (word: Exclude<TransferMessage, { kind: 'NOTICE' }>): HandlerResult => {
    const handled = payer.handle(word)
    return handled === 'NOT_MINE' ? payee.handle(word) : handled
  }
  return {
    'POST /transfers'(message) {
      const reading = bodyOf(postTransfers, message)
      return reading.ok ? payee.take(message.source, reading.value) : rejected(reading.detail)
    },
    'PUT /transfers/{ID}'(message) {
      const reading = bodyOf(putTransfersAnswer, message)
      if (!reading.ok) return rejected(reading.detail)
      if (!isExact(reading.json, reading.value.transferState)) return inexact
      return either({ kind: 'STATE', ...about(message), body: reading.value })
    },
    'PUT /transfers/{ID}/error'(message) {
      const reading = bodyOf(errorBody, message)
      if (!reading.ok) return rejected(reading.detail)
      return either({ kind: 'ERROR', ...about(message), error: informationIn(reading.value) })
    },
    'GET /transactions/{ID}': (message) => payee.reportTransaction(message.source, idOf(message)),
    'PATCH /transfers/{ID}'(message) {
      const reading = bodyOf(patchTransfers, message)
      if (!reading.ok) return rejected(reading.detail)
      if (!isExact(reading.json, reading.value.transferState)) return inexact
      return payee.handle({ kind: 'NOTICE', ...about(message), state: reading.value.transferState })
    },
  }
}

function about(message: Received) {
  return { id: idOf(message), source: message.source }
}

const inexact = rejected('/transferState: not exactly one of its values')

/** The schemas accept lower case; the hub must write the exact value. */
function isExact(json: unknown, state: string): boolean {
  return (json as { readonly transferState?: unknown }).transferState === state
}

function rejected(why: string): { readonly rejected: string } {
  return { rejected: why }
}
