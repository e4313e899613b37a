/** Helpers that the requests of every resource share after the header checks. */
import type { Relay } from '@causeway/events'
import {
  readBody,
  readTrace,
  relayHeaders,
  type BodyReading,
  type Clear,
  type ErrorCode,
  type Method,
} from '@causeway/fspiop'
import type { z } from 'zod'
import type { Incoming, Reading } from './chain.ts'
import { refuse, type Reason } from './refusals.ts'

/** Parses the body with the message's schema; encrypted members are not validated. */
export function bodyOf<Schema extends z.ZodType>(
  schema: Schema,
  { body, encrypted, compatibility }: Pick<Incoming, 'body' | 'encrypted' | 'compatibility'>,
  { mayBeList = false }: { readonly mayBeList?: boolean } = {},
): BodyReading<Clear<z.output<Schema>>> {
  return readBody(schema, body, { encrypted, codes: compatibility, mayBeList })
}

export function malformed(code: ErrorCode, detail: string): Reading {
  return { type: 'REFUSE', refusal: { status: 400, code, detail } }
}

export function against(reason: Reason): Reading {
  return { type: 'REFUSE', refusal: refuse(reason) }
}

export function idOf({ parameters }: Incoming): string {
  if (parameters.ID === undefined) throw new Error('the route has no ID')
  return parameters.ID
}

/** The received body, and the headers with the destination filled in when the sender omitted it. */
export function relayOf(method: Method, message: Incoming, destination?: string): Relay {
  const found = message.destination === undefined ? destination : undefined
  const { relayedHeaders: scheme } = message
  const headers = relayHeaders(method, message.headers, { destination: found, scheme })
  const { body, receivedAt } = message
  return { body, headers: Buffer.from(JSON.stringify(headers)), receivedAt }
}

/** A malformed trace is ignored, never refused. */
export function traceOf({ headers }: Incoming): { readonly traceparent?: string } {
  const trace = readTrace(headers)
  return trace === undefined ? {} : { traceparent: trace.traceparent }
}

/** The query string, without "?". */
export function queryOf({ target }: Incoming): string {
  const start = target.indexOf('?')
  return start < 0 ? '' : target.slice(start + 1)
}
