/**
 * For how long a key signs tokens and is shown to those who verify them. A key signs until a moment
 * that is fixed when it is made, so that replicas which do not talk to each other agree.
 */

export interface TokenKey {
  readonly kid: string
  readonly signsUntil: Date
}

const hour_ms = 3_600_000
/** The longest life that tokens can be given, and clocks that differ. */
const shown_ms = hour_ms + 300_000

/** The one that signs: of those that still do, the one that does so longest. */
export function signing<Key extends TokenKey>(keys: readonly Key[], now: Date): Key | undefined {
  return keys
    .filter(({ signsUntil }) => now < signsUntil)
    .toSorted((a, b) => b.signsUntil.getTime() - a.signsUntil.getTime())[0]
}

/** Keys that signed until this moment may still have tokens that are valid. */
export function shownFrom(now: Date): Date {
  return new Date(now.getTime() - shown_ms)
}
