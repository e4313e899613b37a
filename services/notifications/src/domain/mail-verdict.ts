/**
 * The meaning of a mail server's answer (RFC 5321 4.2.1): delivered, to be retried, or failed for good.
 * A failed e-mail is a dead letter, which can be sent again once the cause is fixed.
 */
import type { AttemptVerdict } from './verdict.ts'

export type MailAnswer =
  | { readonly type: 'ACCEPTED' }
  | {
      readonly type: 'FAILED'
      /** The reply code of the server; null when it gave none. */
      readonly replyCode: number | null
      /** The server refuses the login or TLS; the e-mail itself is not the cause. */
      readonly isAccessDenied: boolean
      readonly reason: string
    }

/** The server is about to close the connection. */
const closing = 421

export function judgeMail(answer: MailAnswer): AttemptVerdict {
  if (answer.type === 'ACCEPTED') return { type: 'DELIVERED', healthy: true, error: '' }
  const { replyCode, isAccessDenied, reason: error } = answer
  if (replyCode === null || isAccessDenied) return { type: 'TRY_AGAIN', healthy: false, error }
  if (replyCode >= 500) return { type: 'GIVEN_UP', healthy: true, error }
  return { type: 'TRY_AGAIN', healthy: replyCode !== closing, error }
}
