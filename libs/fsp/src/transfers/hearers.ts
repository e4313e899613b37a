/** What is heard about transfers: read, and handed to the side that it is for. FSPIOP 6.7, 6.8. */
import { errorBody, patchTransfers, postTransfers, putTransfersAnswer } from '@causeway/fspiop'
import { informationIn } from '../errors.ts'
import { bodyOf, type Hearers, type Hearing, idOf, type Received } from '../inbound.ts'
import type { Payee } from './payee.ts'
import type { Payer, TransferWord } from './payer.ts'

export function transferHearers(payer: Payer, payee: Payee): Hearers {
  /** A message about a transfer that nobody waits for any more is taken and changes nothing. */
  const either = (word: Exclude<TransferWord, { kind: 'NOTICE' }>): Hearing => {
    const hearing = payer.hear(word)
    return hearing === 'NOT_MINE' ? payee.hear(word) : hearing
  }
  return {
    'POST /transfers'(message) {
      const reading = bodyOf(postTransfers, message)
      return reading.ok ? payee.take(message.source, reading.value) : disbelieved(reading.detail)
    },
    'PUT /transfers/{ID}'(message) {
      const reading = bodyOf(putTransfersAnswer, message)
      if (!reading.ok) return disbelieved(reading.detail)
      if (!isExact(reading.json, reading.value.transferState)) return inexact
      return either({ kind: 'STATE', ...about(message), body: reading.value })
    },
    'PUT /transfers/{ID}/error'(message) {
      const reading = bodyOf(errorBody, message)
      if (!reading.ok) return disbelieved(reading.detail)
      return either({ kind: 'ERROR', ...about(message), error: informationIn(reading.value) })
    },
    'GET /transactions/{ID}': (message) => payee.tell(message.source, idOf(message)),
    'PATCH /transfers/{ID}'(message) {
      const reading = bodyOf(patchTransfers, message)
      if (!reading.ok) return disbelieved(reading.detail)
      if (!isExact(reading.json, reading.value.transferState)) return inexact
      return payee.hear({ kind: 'NOTICE', ...about(message), state: reading.value.transferState })
    },
  }
}

function about(message: Received) {
  return { id: idOf(message), source: message.source }
}

const inexact = disbelieved('/transferState: not exactly one of its values')

/** The schemas forgive lower case; what the hub writes must be exact. */
function isExact(json: unknown, state: string): boolean {
  return (json as { readonly transferState?: unknown }).transferState === state
}

function disbelieved(why: string): { readonly disbelieved: string } {
  return { disbelieved: why }
}
