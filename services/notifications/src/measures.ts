/** The metrics of deliveries. */
import type { Database } from '@causeway/postgres'
import type { Metrics } from '@causeway/process'
import { Counter, Gauge, Histogram } from 'prom-client'
import { duration_msOf, type EndedNotification } from './contract.ts'
import { countByFsp } from './dead-letters/store.ts'

export interface DeliveryMeasures {
  ended(end: EndedNotification): void
  attempted(result: 'DELIVERED' | 'TRY_AGAIN' | 'GIVEN_UP'): void
  circuitOpen(fspId: string, open: boolean): void
}

export function openMeasures(metrics: Metrics, db: Database): DeliveryMeasures {
  const registers = [metrics]
  const ends = new Counter({
    name: 'notifications_ended_total',
    help: 'notifications that were delivered or failed for good',
    labelNames: ['status'],
    registers,
  })
  const attempts = new Counter({
    name: 'notifications_attempts_total',
    help: 'attempts by result',
    labelNames: ['result'],
    registers,
  })
  const durations = new Histogram({
    name: 'notifications_delivery_seconds',
    help: 'time from receipt of a notification to its end',
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 10, 60, 600, 86_400],
    registers,
  })
  const circuits = new Gauge({
    name: 'notifications_circuit_open',
    help: '1 while the circuit of the FSP is open and only trials are sent',
    labelNames: ['fsp'],
    registers,
  })
  openUndelivered(metrics, db)
  return {
    ended(end) {
      ends.inc({ status: end.status })
      durations.observe(duration_msOf(end) / 1_000)
    },
    attempted: (result) => attempts.inc({ result }),
    circuitOpen: (fspId, open) => circuits.set({ fsp: fspId }, open ? 1 : 0),
  }
}

/** Counted at each scrape. */
function openUndelivered(metrics: Metrics, db: Database): void {
  new Gauge({
    name: 'notifications_undelivered',
    help: 'notifications that are PARKED for further attempts, or DEAD',
    labelNames: ['state', 'fsp'],
    registers: [metrics],
    async collect() {
      const counts = await countByFsp(db)
      this.reset()
      for (const { state, fsp_id, count } of counts) this.set({ state, fsp: fsp_id }, count)
    },
  })
}
