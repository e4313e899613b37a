/**
 * How long a key signs tokens and is published for verification. The end of signing is fixed when
 * the key is created, so that replicas agree without coordination.
 */

export interface TokenKey {
  readonly kid: string
  readonly signsUntil: Date
}

const hour_ms = 3_600_000
/** The maximum token lifetime, plus clock skew. */
const published_ms = hour_ms + 300_000

/** The signing key: of the keys that may still sign, the one with the latest end. */
export function signing<Key extends TokenKey>(keys: readonly Key[], now: Date): Key | undefined {
  return keys
    .filter(({ signsUntil }) => now < signsUntil)
    .toSorted((a, b) => b.signsUntil.getTime() - a.signsUntil.getTime())[0]
}

/** Keys that signed until this moment or later may have valid tokens. */
export function publishedFrom(now: Date): Date {
  return new Date(now.getTime() - published_ms)
}
