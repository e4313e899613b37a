/**
 * What the answer of a mail server means (RFC 5321 4.2.1): accepted, to be tried again, or given up.
 * An e-mail that was given up is a dead letter, which can be sent again when what was wrong is mended.
 */
import type { Verdict } from './verdict.ts'

export type MailAnswer =
  | { readonly type: 'ACCEPTED' }
  | {
      readonly type: 'FAILED'
      /** The reply code of the server; null when it gave none. */
      readonly replyCode: number | null
      /** It does not let us in, or not over TLS: nothing is wrong with the e-mail itself. */
      readonly isAccessDenied: boolean
      readonly reason: string
    }

/** The server is about to close the connection. */
const closing = 421

export function judgeMail(answer: MailAnswer): Verdict {
  if (answer.type === 'ACCEPTED') return { type: 'DELIVERED', healthy: true, error: '' }
  const { replyCode, isAccessDenied, reason: error } = answer
  if (replyCode === null || isAccessDenied) return { type: 'TRY_AGAIN', healthy: false, error }
  if (replyCode >= 500) return { type: 'GIVEN_UP', healthy: true, error }
  return { type: 'TRY_AGAIN', healthy: replyCode !== closing, error }
}
