/** The origin of a call, so that its provider can name in audit entries who is behind it. */
import { currentOrigin, type Origin } from '@causeway/process'
import type { Metadata } from '@grpc/grpc-js'

const header = 'causeway-origin'

export function withOriginOf(metadata: Metadata): Metadata {
  const origin = currentOrigin()
  if (origin === undefined) return metadata
  const all = metadata.clone()
  all.set(header, Buffer.from(JSON.stringify(origin)).toString('base64url'))
  return all
}

/** Its callers are services of the hub, which mutual TLS has admitted. */
export function originIn(metadata: Metadata): Origin | undefined {
  const [value] = metadata.get(header)
  if (value === undefined) return undefined
  return JSON.parse(Buffer.from(String(value), 'base64url').toString()) as Origin
}
