/**
 * Security events: what indicates an attack. Each is counted, and written to the log with members whose
 * names and meanings stay, for a SIEM (docs/watching.md). Who causes many cannot fill the log: lines of one
 * type are bounded, and the next line says how many were left out.
 */
import { Counter } from 'prom-client'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'

export type SecurityEventType =
  /** A participant is not who it claims to be, or its credential counts no more. */
  | 'IDENTITY_REFUSED'
  /** The signature of a message is missing or invalid. */
  | 'SIGNATURE_REFUSED'
  /** A password, secret, security key or certificate of an operator is wrong. */
  | 'LOG_IN_REFUSED'
  /** The token of an operator is invalid, or does not permit the operation. */
  | 'ACCESS_REFUSED'
  /** A service called a gRPC method that does not name it. */
  | 'CALLER_REFUSED'

export interface SecurityEvent {
  readonly type: SecurityEventType
  readonly reason: string
  /** Who it was, or claims to be; empty: unknown. */
  readonly actor: string
  /** The network address; empty: unknown. */
  readonly address: string
  /** What was asked for, without identifiers. */
  readonly target: string
}

export interface SecurityEvents {
  tell(event: SecurityEvent): void
}

export interface SecurityEventParts {
  readonly log: Pick<Logger, 'warn'>
  readonly metrics: Metrics
}

/** Of each version of the members one number. */
const schema = 1
const counterName = 'security_events_total'
const lines_per_second_max = 10
const text_length_max = 200

export function openSecurityEvents(
  service: string,
  { log, metrics }: SecurityEventParts,
  now_ms: () => number = Date.now,
): SecurityEvents {
  const counter = counterOf(metrics)
  const bounds = new Map<SecurityEventType, Bound>()
  return {
    tell({ type, reason, actor, address, target }) {
      counter.inc({ service, type })
      const bound = bounds.get(type) ?? { second: 0, lines: 0, suppressed: 0 }
      bounds.set(type, bound)
      if (!takes(bound, Math.floor(now_ms() / 1_000))) return
      const { suppressed } = bound
      bound.suppressed = 0
      const texts = {
        reason: cut(reason),
        actor: cut(actor),
        address: cut(address),
        target: cut(target),
      }
      log.warn({ security: { schema, service, type, ...texts, suppressed } }, 'security event')
    },
  }
}

interface Bound {
  second: number
  lines: number
  suppressed: number
}

function takes(bound: Bound, second: number): boolean {
  if (bound.second !== second) {
    bound.second = second
    bound.lines = 0
  }
  if (bound.lines >= lines_per_second_max) {
    bound.suppressed += 1
    return false
  }
  bound.lines += 1
  return true
}

function cut(text: string): string {
  return text.slice(0, text_length_max)
}

/** Services in one process share it. */
function counterOf(metrics: Metrics): Counter {
  const known = metrics.getSingleMetric(counterName)
  if (known instanceof Counter) return known
  return new Counter({
    name: counterName,
    help: 'refused identities, signatures, log-ins, operations and callers',
    labelNames: ['service', 'type'],
    registers: [metrics],
  })
}
