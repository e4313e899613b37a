/**
 * The circuit breaker of one oracle: after several failures in a row it is asked nothing but one trial
 * at a time, until it answers.
 */

export type Circuit =
  | { readonly state: 'CLOSED'; readonly failures: number }
  | { readonly state: 'OPEN'; readonly trial_at_ms: number }

export interface CircuitBounds {
  readonly failures_max: number
  readonly trial_every_ms: number
}

export const closedCircuit: Circuit = { state: 'CLOSED', failures: 0 }

/** Whether a call may begin now: any while it is closed, the trial that is due while it is open. */
export function mayCall(circuit: Circuit, now_ms: number): boolean {
  return circuit.state === 'CLOSED' || circuit.trial_at_ms <= now_ms
}

/** Once a call has begun the next trial waits its time. */
export function afterBegin(circuit: Circuit, now_ms: number, bounds: CircuitBounds): Circuit {
  if (circuit.state === 'CLOSED') return circuit
  return { state: 'OPEN', trial_at_ms: now_ms + bounds.trial_every_ms }
}

/** Failures of calls that began before it opened do not put off the next trial. */
export function afterEnd(
  circuit: Circuit,
  answered: boolean,
  now_ms: number,
  bounds: CircuitBounds,
): Circuit {
  if (answered) return closedCircuit
  if (circuit.state === 'OPEN') return circuit
  const failures = circuit.failures + 1
  if (failures < bounds.failures_max) return { state: 'CLOSED', failures }
  return { state: 'OPEN', trial_at_ms: now_ms + bounds.trial_every_ms }
}
