/** The metrics of a process, in the Prometheus text format at `GET /metrics`. */
import { collectDefaultMetrics, Registry } from 'prom-client'

/** Each service registers its own metrics here, with its name as their prefix. */
export type Metrics = Registry

export interface MetricsOptions {
  /** Whether CPU, memory, event loop and garbage collection of the process are among them. */
  readonly ofProcess: boolean
}

export function openMetrics({ ofProcess }: MetricsOptions): Metrics {
  const metrics = new Registry()
  if (ofProcess) collectDefaultMetrics({ register: metrics })
  return metrics
}
