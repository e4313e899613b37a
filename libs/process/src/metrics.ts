/** The metrics of a process, in the Prometheus text format at `GET /metrics`. */
import { collectDefaultMetrics, Counter, Registry } from 'prom-client'

/** Each service registers its own metrics here, with its name as their prefix. */
export type Metrics = Registry

export interface MetricsOptions {
  /** Whether CPU, memory, event loop and garbage collection of the process are among them. */
  readonly ofProcess: boolean
}

const never_ms = 2 ** 31 - 1
const ofLagHistogram = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99']

export function openMetrics({ ofProcess }: MetricsOptions): Metrics {
  const metrics = new Registry()
  if (ofProcess) measureProcess(metrics)
  return metrics
}

/**
 * As usual, but without the histogram of the event loop's lag: it wakes the process a hundred times
 * a second, which takes 1 % of a core of each idle process. The utilization of the event loop costs
 * nothing.
 */
function measureProcess(metrics: Metrics): void {
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: never_ms })
  for (const figure of ofLagHistogram) {
    metrics.removeSingleMetric(`nodejs_eventloop_lag_${figure}_seconds`)
  }
  const active = new Counter({
    name: 'nodejs_eventloop_active_seconds_total',
    help: 'Time in which the event loop was active',
    registers: [metrics],
    collect() {
      active.reset()
      active.inc(performance.eventLoopUtilization().active / 1_000)
    },
  })
}
