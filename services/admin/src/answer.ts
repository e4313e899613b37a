/** The result of an operation: an answer with its status, or a refusal with its reason. */
import type { Reason } from './contract.ts'
import type { Json } from './json.ts'

export type OperationResult = Answered | File | RefusedOperation

export interface Answered {
  readonly outcome: 'answered'
  readonly status: 200 | 201 | 202 | 204 | 503
  /** undefined: the answer has no body. */
  readonly body: Json | undefined
  /** The `cursor` of the next page, where the list continues. */
  readonly next?: string
}

/** Any content but JSON, in pieces: it may be larger than memory. */
export interface File {
  readonly outcome: 'file'
  /** One of the media types that the operation declares. */
  readonly type: string
  readonly pieces: Iterable<string | Buffer> | AsyncIterable<string | Buffer>
  /** The file name for a browser; undefined: it is displayed. */
  readonly name: string | undefined
}

export interface RefusedOperation {
  readonly outcome: 'refused'
  readonly reason: Reason
  /** A detail for people, in addition to the text of the error code; may be empty. */
  readonly detail: string
}

export function answered(status: Answered['status'], body?: Json): Answered {
  return { outcome: 'answered', status, body }
}

/** A list without an envelope: the header Link (RFC 8288) names the next page. */
export function page(body: Json, next: string): Answered {
  return { ...answered(200, body), ...(next === '' ? {} : { next }) }
}

export function file(type: string, pieces: File['pieces'], name?: string): File {
  return { outcome: 'file', type, pieces, name }
}

export function refused(reason: Reason, detail = ''): RefusedOperation {
  return { outcome: 'refused', reason, detail }
}
