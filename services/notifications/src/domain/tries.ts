/**
 * The attempts of one notification, stored to show why it was late or not delivered: all of them, or
 * the first and the last ones when there are many.
 */
export interface Try {
  /** When it began. */
  readonly began_ms: number
  readonly duration_ms: number
  /** Null: no answer. */
  readonly httpStatus: number | null
  readonly error: string | null
}

export const noTries: readonly Try[] = []

const first_max = 3
const last_max = 47

export function withTry(tries: readonly Try[], next: Try): readonly Try[] {
  const all = tries.concat(next)
  return all.length <= first_max + last_max
    ? all
    : [...all.slice(0, first_max), ...all.slice(-last_max)]
}
