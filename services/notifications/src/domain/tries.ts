/**
 * The attempts of one notification, kept for whoever wants to know why it came late or never: all of
 * them, or, of many, the first and the last.
 */
export interface Try {
  /** When it began. */
  readonly began_ms: number
  readonly duration_ms: number
  /** null: no answer. */
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
