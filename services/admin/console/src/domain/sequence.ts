/**
 * A story as a sequence diagram: the lanes that each step connects. The payer, and the PISP of a
 * third-party payment, are on the left, the hub in the middle, the payee and all others on the
 * right.
 */
export type Lane = 'left' | 'hub' | 'right'

export interface SequenceStep {
  readonly type: 'MESSAGE' | 'DECISION' | 'JOURNAL' | 'DELIVERY'
  readonly from?: string
  readonly to?: string
}

export interface Arrow {
  readonly from: Lane
  readonly to: Lane
}

/** A step within the hub begins and ends in the middle. */
export function arrowOf(step: SequenceStep, payerSide: readonly string[]): Arrow {
  const laneOf = (fsp: string | undefined): Lane =>
    payerSide.includes(fsp ?? '') ? 'left' : 'right'
  switch (step.type) {
    case 'MESSAGE':
      return { from: laneOf(step.from), to: 'hub' }
    case 'DELIVERY':
      return { from: 'hub', to: laneOf(step.to) }
    case 'DECISION':
    case 'JOURNAL':
      return { from: 'hub', to: 'hub' }
  }
}

/** Milliseconds since the first step, as text. */
export function sinceText(at: string, first: string): string {
  const ms = Date.parse(at) - Date.parse(first)
  if (ms < 1_000) return `+${ms} ms`
  const seconds = Math.floor(ms / 100) / 10
  return seconds < 120 ? `+${seconds} s` : `+${Math.floor(seconds / 60)} min`
}
