/** Messages of an FSP, with every required header, their bodies as canonical JSON. FSPIOP 3.2. */
import {
  canonicalJson,
  contentType,
  resourceRules,
  writeHttpDate,
  type Resource,
} from '@causeway/fspiop'
import { askedVersion, currentTrace } from './trace.ts'

/** Source and destination FSP; the hub finds a destination that is left out. */
export interface Route {
  readonly from: string
  readonly to?: string | undefined
}

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From the resource name on, with the query: `/transfers/<id>/error`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

const mediaTypes: ReadonlyMap<string, string> = new Map(
  Object.entries(resourceRules).map(([resource, { currentVersion }]) => [
    resource,
    contentType(resource as Resource, currentVersion),
  ]),
)

/** `encryption` is the value of FSPIOP-Encryption, where some of the body is ciphertext. */
export function writeMessage(
  method: Outgoing['method'],
  path: string,
  { from, to }: Route,
  body?: object,
  encryption?: string,
): Outgoing {
  const [, resource = ''] = /^\/(\w+)/.exec(path) ?? []
  const mediaType = mediaTypes.get(resource)
  if (mediaType === undefined) throw new Error(`${resource} is no resource of the API`)
  const headers: Record<string, string> = {
    'content-type': mediaType,
    date: writeHttpDate(new Date()),
    'fspiop-source': from,
    ...currentTrace(),
  }
  if (to !== undefined) headers['fspiop-destination'] = to
  if (method === 'PUT' || method === 'PATCH') {
    const version = askedVersion(resource)
    if (version !== undefined) headers['content-type'] = contentType(resource as Resource, version)
  } else {
    headers['accept'] = mediaType
  }
  if (encryption !== undefined) headers['fspiop-encryption'] = encryption
  return {
    method,
    path,
    headers,
    body: body === undefined ? undefined : Buffer.from(canonicalJson(body)),
  }
}

/** Members that the API does not define, agreed between two FSPs. FSPIOP 7.3. */
export type Extensions = readonly { readonly key: string; readonly value: string }[]

/** The `extensionList` member of a body; nothing when there are no extensions. */
export function extensionListOf(extensions: Extensions | undefined): object {
  return extensions === undefined || extensions.length === 0
    ? {}
    : { extensionList: { extension: extensions } }
}

/** Extensions by key. */
export function extensionsIn(
  list:
    | { readonly extension: readonly { readonly key: string; readonly value: string }[] }
    | undefined,
): ReadonlyMap<string, string> {
  return new Map(list?.extension.map(({ key, value }) => [key, value]))
}
