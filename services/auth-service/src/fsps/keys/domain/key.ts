/**
 * Keys of FSPs. Every valid key verifies, so rotation only needs a new key. A stored key never
 * changes, except for its end.
 */
import { refuse, type RefusedCommand } from '../../../domain/refusal.ts'

export interface NewKey {
  readonly kid: string
  readonly use: 'sig' | 'enc'
  /** RFC 7638. */
  readonly thumbprint: string
  /** JSON of the public JWK. */
  readonly jwk: string
  readonly validFrom: Date
  /** null: no end. */
  readonly validTo: Date | null
  readonly createdBy: string
}

export interface Key extends NewKey {
  readonly createdAt: Date
}

/** A signature without a kid is verified with every valid key. */
export const keys_max = 16

export type Addition =
  | { readonly type: 'ADD'; readonly key: Key }
  | { readonly type: 'KNOWN'; readonly key: Key }
  | RefusedCommand

/**
 * The same key under the same kid exists already; its stored times apply, not those of the
 * request.
 */
export function add(known: readonly Key[], wanted: NewKey, now: Date): Addition {
  const same = known.find(({ kid }) => kid === wanted.kid)
  if (same !== undefined) {
    return same.thumbprint === wanted.thumbprint && same.use === wanted.use
      ? { type: 'KNOWN', key: same }
      : refuse('KEY_EXISTS', `another key, or a key for another use, has the kid ${wanted.kid}`)
  }
  if (wanted.validTo !== null && wanted.validTo <= wanted.validFrom) {
    return refuse('INVALID', 'validTo must be after validFrom')
  }
  if (wanted.validTo !== null && wanted.validTo <= now) {
    return refuse('INVALID', 'validTo is in the past')
  }
  const open = known.filter(({ use, validTo }) => use === wanted.use && !hasEnded(validTo, now))
  if (open.length >= keys_max) {
    return refuse('INVALID', `${keys_max} keys for ${wanted.use} have not ended: end one first`)
  }
  return { type: 'ADD', key: { ...wanted, createdAt: now } }
}

export type KeyEnd =
  | { readonly type: 'END'; readonly key: Key }
  | { readonly type: 'KNOWN'; readonly key: Key }
  | RefusedCommand

/**
 * An end in the past means now, since signatures were verified until now. An ended key stays ended.
 */
export function end(key: Key, validTo: Date, now: Date): KeyEnd {
  const at = validTo < now ? now : validTo
  if (hasEnded(key.validTo, now)) {
    return at > now
      ? refuse('INVALID', `the key ${key.kid} has ended: add a new one`)
      : { type: 'KNOWN', key }
  }
  return key.validTo?.getTime() === at.getTime()
    ? { type: 'KNOWN', key }
    : { type: 'END', key: { ...key, validTo: at } }
}

function hasEnded(validTo: Date | null, now: Date): boolean {
  return validTo !== null && validTo <= now
}
