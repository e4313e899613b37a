/** The public keys of other FSPs, read over HTTP from where the scheme publishes them. */
import { createPublicKey } from 'node:crypto'
import { readJwks, type KeysOf } from '@causeway/fsp'
import type { HttpClient } from '@causeway/http'

/** `urlOf`: the address of an FSP's keys; undefined for an unknown FSP, which has none. */
export function peerKeys(http: HttpClient, urlOf: (fspId: string) => string | undefined): KeysOf {
  return async (fspId) => {
    const url = urlOf(fspId)
    if (url === undefined) return []
    const headers = { accept: 'application/json' }
    const answer = await http.request({ method: 'GET', url, headers })
    if (answer.status === 404) return []
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
    return readJwks(asSet(JSON.parse(answer.body.toString()), new Date()))
  }
}

interface PublishedKey {
  readonly kid?: unknown
  readonly use?: unknown
  /** PEM or JWK, where the key is a record of an administration API and not a JWK itself. */
  readonly publicKey?: unknown
  readonly validFrom?: unknown
  readonly validTo?: unknown
}

/** A JWK set unchanged; from a list of an administration API, the keys that are valid now. */
export function asSet(json: unknown, now: Date): unknown {
  if (!Array.isArray(json)) return json
  const records = json.filter(
    (each): each is PublishedKey => typeof each === 'object' && each !== null,
  )
  return { keys: records.filter((each) => isValid(each, now)).map(asJwk) }
}

function isValid({ validFrom, validTo }: PublishedKey, now: Date): boolean {
  const from = typeof validFrom === 'string' ? Date.parse(validFrom) : -Infinity
  const to = typeof validTo === 'string' ? Date.parse(validTo) : Infinity
  return from <= now.getTime() && now.getTime() < to
}

function asJwk(records: PublishedKey): object {
  const { publicKey, kid, use } = records
  if (publicKey === undefined) return records
  const jwk = typeof publicKey === 'string' ? jwkOf(publicKey) : (publicKey as object)
  return { ...jwk, kid, use }
}

function jwkOf(text: string): object {
  return text.startsWith('{')
    ? (JSON.parse(text) as object)
    : createPublicKey(text).export({ format: 'jwk' })
}
