/**
 * The circuit breaker of one FSP: after several failures in a row only one trial at a time is sent,
 * until one succeeds.
 */

export type Circuit =
  | { readonly state: 'CLOSED'; readonly failures: number }
  | { readonly state: 'OPEN'; readonly trial_at_ms: number }

export interface CircuitBounds {
  readonly failures_max: number
  readonly trial_every_ms: number
}

export const closedCircuit: Circuit = { state: 'CLOSED', failures: 0 }

/** The circuit after an attempt has ended. Attempts that fail late do not postpone the next trial. */
export function afterAttempt(
  circuit: Circuit,
  healthy: boolean,
  now_ms: number,
  bounds: CircuitBounds,
): Circuit {
  if (healthy) return closedCircuit
  if (circuit.state === 'OPEN') return circuit
  const failures = circuit.failures + 1
  if (failures < bounds.failures_max) return { state: 'CLOSED', failures }
  return { state: 'OPEN', trial_at_ms: now_ms + bounds.trial_every_ms }
}

/** Whether the one trial of an open circuit is due. */
export function trialDue(circuit: Circuit, now_ms: number): boolean {
  return circuit.state === 'OPEN' && circuit.trial_at_ms <= now_ms
}

/** The circuit after a trial has begun: the next one is due after `trial_every_ms`. */
export function afterTrialBegan(circuit: Circuit, now_ms: number, bounds: CircuitBounds): Circuit {
  if (circuit.state === 'CLOSED') return circuit
  return { state: 'OPEN', trial_at_ms: now_ms + bounds.trial_every_ms }
}
