/**
 * The circuit breaker of one server: after several consecutive failures only one trial call at a
 * time is made, until the server answers. A state and the decisions about it; callers hold it.
 */

export type Circuit =
  | { readonly state: 'CLOSED'; readonly failures: number }
  | { readonly state: 'OPEN'; readonly trial_at_ms: number }

export interface CircuitBounds {
  readonly failures_max: number
  readonly trial_every_ms: number
}

export const closedCircuit: Circuit = { state: 'CLOSED', failures: 0 }

/** Whether a call may begin now: any while closed, only a due trial while open. */
export function mayCall(circuit: Circuit, now_ms: number): boolean {
  return circuit.state === 'CLOSED' || circuit.trial_at_ms <= now_ms
}

/** A call that begins while open postpones the next trial. */
export function afterBegin(circuit: Circuit, now_ms: number, bounds: CircuitBounds): Circuit {
  if (circuit.state === 'CLOSED') return circuit
  return { state: 'OPEN', trial_at_ms: now_ms + bounds.trial_every_ms }
}

/** Failures of calls that began before the circuit opened do not postpone the next trial. */
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
