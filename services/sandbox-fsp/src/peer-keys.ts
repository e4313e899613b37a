/** The public keys of other FSPs, read where the scheme tells them, over HTTP. */
import { readJwks, type KeysOf } from '@causeway/fsp'
import type { HttpClient } from '@causeway/runtime'
import { createPublicKey } from 'node:crypto'

/** `urlOf`: where an FSP's keys are; undefined for an FSP that is not known, which has none. */
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

interface Told {
  readonly kid?: unknown
  readonly use?: unknown
  /** PEM or JWK, where the key is a record of an administration and not a JWK itself. */
  readonly publicKey?: unknown
  readonly validFrom?: unknown
  readonly validTo?: unknown
}

/** A JWK set as it is; of a list of keys, as administrations show them, those that are valid now. */
export function asSet(json: unknown, now: Date): unknown {
  if (!Array.isArray(json)) return json
  const told = json.filter((each): each is Told => typeof each === 'object' && each !== null)
  return { keys: told.filter((each) => isValid(each, now)).map(asJwk) }
}

function isValid({ validFrom, validTo }: Told, now: Date): boolean {
  const from = typeof validFrom === 'string' ? Date.parse(validFrom) : -Infinity
  const to = typeof validTo === 'string' ? Date.parse(validTo) : Infinity
  return from <= now.getTime() && now.getTime() < to
}

function asJwk(told: Told): object {
  const { publicKey, kid, use } = told
  if (publicKey === undefined) return told
  const jwk = typeof publicKey === 'string' ? jwkOf(publicKey) : (publicKey as object)
  return { ...jwk, kid, use }
}

function jwkOf(text: string): object {
  return text.startsWith('{')
    ? (JSON.parse(text) as object)
    : createPublicKey(text).export({ format: 'jwk' })
}
