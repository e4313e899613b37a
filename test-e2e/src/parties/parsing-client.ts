/**
 * An FSP whose software knows a body by its members alone, as Mojaloop's SDK does: it sends them sorted
 * by name, and verifies a signature over the body that it has parsed and serialized again.
 */
import { createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { Fsp, Received } from '../fsp/fsp.ts'
import { answered } from '../operator/operator.ts'
import type { Scheme } from '../hub/scheme.ts'

export interface ParsingClients {
  /** Opens an FSP, onboards it, and sends every body with sorted members. */
  join(name: string): Promise<Fsp>
  /** Whether a key of its sender made the signature. */
  verifies(message: Received): Promise<boolean>
}

const ofHub: ReadonlySet<string> = new Set(['Hub', 'centralAuth'])

export function parsingClients(scheme: Scheme): ParsingClients {
  const keys = new Map<string, Promise<readonly KeyObject[]>>()
  let anyone: Fsp | undefined

  /** The hub publishes its keys at its port for FSPs. */
  async function keysOfHub(): Promise<readonly KeyObject[]> {
    if (anyone === undefined) throw new Error('no FSP has joined')
    const { body } = await anyone.send('GET', '/.well-known/jwks.json')
    return (JSON.parse(body) as { readonly keys: readonly JsonWebKey[] }).keys.map(keyOf)
  }

  async function keysOfFsp(name: string): Promise<readonly KeyObject[]> {
    const path = `/participants/${name}/keys`
    const listed = await answered<readonly { readonly publicKey: JsonWebKey }[]>(
      scheme.operator.call('GET', path),
    )
    return listed.map(({ publicKey }) => keyOf(publicKey))
  }

  function keysOf(source: string): Promise<readonly KeyObject[]> {
    const known = keys.get(source)
    if (known !== undefined) return known
    const read = ofHub.has(source) ? keysOfHub() : keysOfFsp(source)
    keys.set(source, read)
    return read
  }

  return {
    async join(name) {
      const fsp = await scheme.join(name)
      const client: Fsp = {
        ...fsp,
        send: (method, path, body, headers) =>
          fsp.send(method, path, body === undefined ? undefined : serialized(body), headers),
      }
      anyone ??= client
      return client
    },
    async verifies(message) {
      const { headers } = message
      const parts = JSON.parse(String(headers['fspiop-signature'])) as {
        readonly signature: string
        readonly protectedHeader: string
      }
      const payload = Buffer.from(serialized(message.json())).toString('base64url')
      const signed = Buffer.from(`${parts.protectedHeader}.${payload}`)
      const signature = Buffer.from(parts.signature, 'base64url')
      const all = await keysOf(String(headers['fspiop-source']))
      return all.some((key) => verify('sha256', signed, key, signature))
    },
  }
}

function keyOf(jwk: JsonWebKey): KeyObject {
  return createPublicKey({ key: jwk, format: 'jwk' })
}

/** JSON with the members of every object sorted by name. */
function serialized(json: unknown): string {
  if (typeof json !== 'object' || json === null) return JSON.stringify(json)
  if (Array.isArray(json)) return `[${json.map(serialized).join(',')}]`
  const members = Object.entries(json)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}:${serialized(value)}`)
  return `{${members.join(',')}}`
}
