/** The digests of bodies that may have 5 MiB, by operation: pure functions of the message. */
import type { ErrorCode } from '@causeway/fspiop'
import { digestRequest, digestResponse } from './bulk-quotes/digest.ts'
import { digestFulfil, digestPrepare } from './bulk-transfers/digest.ts'
import type { Incoming } from './chain.ts'

/** The parts of a message that its digest needs. */
export type Digestible = Pick<
  Incoming,
  | 'source'
  | 'destination'
  | 'version'
  | 'body'
  | 'encrypted'
  | 'receivedAt'
  | 'compatibility'
  | 'decimals'
>

export type Digested<Payload> =
  | { readonly ok: true; readonly payload: Payload }
  | { readonly ok: false; readonly code: ErrorCode; readonly detail: string }

export const digests = {
  'POST /bulkQuotes': digestRequest,
  'PUT /bulkQuotes/{ID}': digestResponse,
  'POST /bulkTransfers': digestPrepare,
  'PUT /bulkTransfers/{ID}': digestFulfil,
} as const satisfies Readonly<Record<string, (message: Digestible) => Digested<object>>>

export type DigestedOperation = keyof typeof digests

export type DigestOf<Operation extends DigestedOperation> = ReturnType<(typeof digests)[Operation]>

/** The payload of an operation's event, as far as it comes from the body. */
export type DigestedPayload<Operation extends DigestedOperation> = Extract<
  DigestOf<Operation>,
  { ok: true }
>['payload']
