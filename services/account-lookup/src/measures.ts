/** Metrics of lookups, associations and oracles. */
import type { Metrics } from '@causeway/process'
import { Counter, Gauge, Histogram } from 'prom-client'
import type { Owners } from './domain/owners.ts'

export interface LookupMeasures {
  lookedUp(outcome: Owners['type']): void
  /** DONE or the reason of the refusal. */
  worked(command: 'ASSOCIATE' | 'REMOVE', outcome: string): void
  /** `result` is ANSWERED or the kind of failure. */
  called(oracleId: number, result: string, ms: number): void
  circuitOpen(oracleId: number, open: boolean): void
  /** Removes the metrics of a removed oracle. */
  forget(oracleId: number): void
}

export function openMeasures(metrics: Metrics): LookupMeasures {
  const registers = [metrics]
  const lookups = new Counter({
    name: 'account_lookup_lookups_total',
    help: 'lookups of parties by outcome',
    labelNames: ['outcome'],
    registers,
  })
  const commands = new Counter({
    name: 'account_lookup_associations_total',
    help: 'requests to make or remove an association, by outcome',
    labelNames: ['command', 'outcome'],
    registers,
  })
  const calls = new Histogram({
    name: 'account_lookup_oracle_seconds',
    help: 'calls of oracles',
    labelNames: ['oracle', 'result'],
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 20, 60],
    registers,
  })
  const circuits = new Gauge({
    name: 'account_lookup_circuit_open',
    help: '1 for an oracle whose circuit is open: only trial calls are made',
    labelNames: ['oracle'],
    registers,
  })
  return {
    lookedUp: (outcome) => lookups.inc({ outcome }),
    worked: (command, outcome) => commands.inc({ command, outcome }),
    called: (oracleId, result, ms) => {
      calls.observe({ oracle: String(oracleId), result }, ms / 1_000)
    },
    circuitOpen: (oracleId, open) => circuits.set({ oracle: String(oracleId) }, open ? 1 : 0),
    forget: (oracleId) => circuits.remove({ oracle: String(oracleId) }),
  }
}
