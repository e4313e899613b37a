/** What an operation comes to: an answer with its status, or a refusal with its reason. */
import type { Reason } from './contract.ts'
import type { Json } from './json.ts'

export type Answer = Answered | File | Refused

export interface Answered {
  readonly outcome: 'answered'
  readonly status: 200 | 201 | 202 | 204 | 503
  /** undefined: the answer has no body. */
  readonly body: Json | undefined
  /** Where a list goes on that did not fit: the `cursor` of the next page. */
  readonly next?: string
}

/** Anything but JSON, a piece at a time: it may be longer than memory is wide. */
export interface File {
  readonly outcome: 'file'
  /** A media type of those that the operation names. */
  readonly type: string
  readonly pieces: Iterable<string | Buffer> | AsyncIterable<string | Buffer>
  /** What a browser saves it as; undefined: it is shown. */
  readonly name: string | undefined
}

export interface Refused {
  readonly outcome: 'refused'
  readonly reason: Reason
  /** What a person should know beyond the text of the error code; may be empty. */
  readonly detail: string
}

export function answered(status: Answered['status'], body?: Json): Answered {
  return { outcome: 'answered', status, body }
}

/** A list without an envelope: where it goes on stands in the header Link (RFC 8288). */
export function page(body: Json, next: string): Answered {
  return { ...answered(200, body), ...(next === '' ? {} : { next }) }
}

export function file(type: string, pieces: File['pieces'], name?: string): File {
  return { outcome: 'file', type, pieces, name }
}

export function refused(reason: Reason, detail = ''): Refused {
  return { outcome: 'refused', reason, detail }
}
