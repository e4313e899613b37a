/** The alarms of keys of months: which are lost, and how many bodies could not be read. */
import type { Logger, Metrics } from '@causeway/process'
import { Counter, Gauge } from 'prom-client'
import type { Month } from './cipher.ts'

export interface MonthKeyMeasures {
  /** All months whose key auth-service has lost, as far as the service has used them. */
  readonly lost: (months: readonly Month[]) => void
  /** The months of bodies that could not be read, one for each body. */
  readonly unreadable: (months: readonly Month[]) => void
}

const lostName = 'month_keys_lost'
const unreadableName = 'unreadable_bodies_total'

export function openMeasures(
  service: string,
  { log, metrics }: { readonly log: Logger; readonly metrics: Metrics },
): MonthKeyMeasures {
  const gauge = gaugeOf(metrics)
  const counter = counterOf(metrics)
  let before: readonly Month[] = []
  return {
    lost(months) {
      for (const month of before) gauge.remove({ service, month })
      for (const month of months) gauge.set({ service, month }, 1)
      before = months
      if (months.length === 0) return
      log.error({ months }, 'ALARM auth-service has lost the keys that messages are encrypted with')
    },
    unreadable(months) {
      counter.inc({ service }, months.length)
      const bodies = months.length
      log.error({ bodies, months: [...new Set(months)] }, 'ALARM stored bodies cannot be read')
    },
  }
}

/** Services in one process share it. */
function gaugeOf(metrics: Metrics): Gauge {
  const known = metrics.getSingleMetric(lostName)
  if (known instanceof Gauge) return known
  return new Gauge({
    name: lostName,
    help: 'months whose key auth-service has lost, by the service that has messages of them',
    labelNames: ['service', 'month'],
    registers: [metrics],
  })
}

/** Services in one process share it. */
function counterOf(metrics: Metrics): Counter {
  const known = metrics.getSingleMetric(unreadableName)
  if (known instanceof Counter) return known
  return new Counter({
    name: unreadableName,
    help: 'stored messages that could not be read: their key is lost, or they were modified',
    labelNames: ['service'],
    registers: [metrics],
  })
}
