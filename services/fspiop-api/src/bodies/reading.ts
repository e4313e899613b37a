/** Helpers that the requests of every resource share after the header checks. */
import type { Relay } from '@causeway/events'
import {
  finerAmount,
  readBody,
  readTrace,
  relayHeaders,
  templateVariables,
  type BodyReading,
  type Clear,
  type ErrorCode,
  type ErrorInformation,
  type Method,
} from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { failureCallback } from '../callbacks/callback.ts'
import type { Incoming, ReadResult } from '../chain.ts'
import { refuse, type Reason } from '../refusals.ts'

/**
 * Parses the body with the message's schema; encrypted members are not validated. An amount that is
 * finer than the scheme allows is 3100.
 */
export function bodyOf<Schema extends z.ZodType>(
  schema: Schema,
  {
    body,
    encrypted,
    compatibility,
    decimals,
  }: Pick<Incoming, 'body' | 'encrypted' | 'compatibility' | 'decimals'>,
  { mayBeList = false }: { readonly mayBeList?: boolean } = {},
): BodyReading<Clear<z.output<Schema>>> {
  const reading = readBody(schema, body, { encrypted, codes: compatibility, mayBeList })
  if (decimals === undefined || !reading.ok) return reading
  const tooFine = finerAmount(reading.json, decimals)
  return tooFine === undefined ? reading : { ok: false, ...tooFine }
}

export function malformed(code: ErrorCode, detail: string): ReadResult {
  return { type: 'REFUSE', refusal: { status: 400, code, detail } }
}

export function against(reason: Reason): ReadResult {
  return { type: 'REFUSE', refusal: refuse(reason) }
}

/** Acknowledges the POST and refuses it by the error callback; nothing is stored. */
export function refuseLater(
  { source, version, headers }: Incoming,
  resource: 'bulkTransfers' | 'transfers',
  id: string,
  error: ErrorInformation,
): ReadResult {
  const notice = {
    requesterFspId: source,
    operation: `PUT /${resource}/{ID}/error`,
    path: `/${resource}/${id}/error`,
    variables: templateVariables(resource, { ID: id }),
    version,
  } as const
  return {
    type: 'RELAY',
    triggered: {
      causeId: randomUUID(),
      causeName: `POST /${resource}`,
      traceparent: readTrace(headers)?.traceparent,
      callback: failureCallback(notice, id, error),
      isReported: false,
      onFailure: undefined,
    },
  }
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
