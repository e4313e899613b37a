/**
 * The messages that the kit sends, with every header that the API requires unless a case changes it;
 * bodies are canonical JSON.
 */
import {
  canonicalJson,
  contentType,
  type Method,
  type Resource,
  resourceRules,
  signatureHeader,
  type Version,
  writeHttpDate,
} from '@causeway/fspiop'
import type { Signing } from '@causeway/fsp'
import type { Outgoing } from './peer.ts'

export interface Draft {
  readonly method: Method
  /** From the resource name on, with the query. */
  readonly path: string
  readonly from: string
  readonly to: string
  /** A buffer is sent as it is. */
  readonly body?: object
  /** The version of the message and, of a request, of its answer. */
  readonly version?: Version
  /** Replaces headers; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Signed with another key, or over another message. */
  readonly signed?: Partial<Omit<Parameters<typeof signatureHeader>[0], 'body'>>
  /** The body that is signed, where it is not the one that is sent. */
  readonly signedBody?: Buffer
  readonly isUnsigned?: boolean
}

export function resourceOf(path: string): Resource {
  const [, resource = ''] = /^\/(\w+)/.exec(path) ?? []
  return resource as Resource
}

export async function write(draft: Draft, signing: Signing | undefined): Promise<Outgoing> {
  const { method, path, from, to, body, isUnsigned = false } = draft
  const resource = resourceOf(path)
  const mediaType = contentType(resource, draft.version ?? resourceRules[resource].currentVersion)
  const bytes =
    body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(canonicalJson(body))
  const all: Record<string, string | undefined> = {
    'content-type': mediaType,
    ...(method === 'PUT' || method === 'PATCH' ? {} : { accept: mediaType }),
    date: writeHttpDate(new Date()),
    'fspiop-source': from,
    'fspiop-destination': to,
    ...draft.headers,
  }
  if (signing !== undefined && !isUnsigned && method !== 'GET') {
    all['fspiop-uri'] ??= path
    all['fspiop-http-method'] ??= method
    all['fspiop-signature'] ??= await signatureHeader({
      ...signing,
      method,
      uri: path,
      source: from,
      destination: to,
      date: all['date'] ?? '',
      encryption: all['fspiop-encryption'],
      ...draft.signed,
      body: draft.signedBody ?? bytes ?? Buffer.alloc(0),
    })
  }
  return { method, path, headers: withoutGaps(all), body: bytes }
}

function withoutGaps(all: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(all)) if (value !== undefined) headers[name] = value
  return headers
}
