/** Which keys of months are made, and which are lost. */

export interface HeldKey {
  readonly month: string
  readonly thumbprint: string
}

export interface KnownKey {
  readonly month: string
  /** Null: the key was dropped. */
  readonly thumbprint: string | null
}

export interface MonthFacts {
  readonly asked: ReadonlySet<string>
  /** The keys that the asking service has encrypted messages with. */
  readonly held: readonly HeldKey[]
  readonly known: readonly KnownKey[]
  readonly currentMonths: readonly string[]
  /** Whose lost keys operators have given up. */
  readonly givenUp: ReadonlySet<string>
}

export interface MonthJudgement {
  readonly made: readonly string[]
  /** A key that the service holds is neither stored nor dropped. */
  readonly lost: ReadonlySet<string>
}

/** A month that is lost gets no other key until operators give the first one up. */
export function judgeMonths(facts: MonthFacts): MonthJudgement {
  const { asked, held, known, currentMonths, givenUp } = facts
  const stored = new Map(known.map(({ month, thumbprint }) => [month, thumbprint]))
  const isHeld = (month: string, thumbprint: string | null | undefined) =>
    thumbprint === null || held.some((key) => key.month === month && key.thumbprint === thumbprint)
  const heldMonths = new Set(held.map(({ month }) => month))
  const lost = new Set(
    [...heldMonths].filter((month) => !givenUp.has(month) && !isHeld(month, stored.get(month))),
  )
  const wanted = new Set(currentMonths.filter((month) => asked.has(month)))
  for (const month of heldMonths) if (givenUp.has(month)) wanted.add(month)
  const made = [...wanted].filter((month) => !stored.has(month) && !lost.has(month))
  return { made, lost }
}
