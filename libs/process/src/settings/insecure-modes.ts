/**
 * The settings of a service that relax its security: logged at the start, a metric while the process
 * runs, and reported with readiness.
 */
import { Gauge } from 'prom-client'
import type { Health } from '../health.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { relaxations, type RelaxationName } from './relaxations.ts'

/** A relaxation that the settings of a service have. */
export interface InsecureMode {
  readonly mode: RelaxationName
  /** Which one, where there can be several. */
  readonly detail?: string
}

export interface InsecureModeParts {
  readonly log: Pick<Logger, 'warn'>
  readonly metrics: Metrics
  readonly health: Pick<Health, 'note'>
}

const gaugeName = 'insecure_modes'

export function reportInsecureModes(
  service: string,
  modes: readonly InsecureMode[],
  { log, metrics, health }: InsecureModeParts,
): void {
  for (const { mode, detail } of modes) {
    const { consequence: what } = relaxations[mode]
    const consequence = detail === undefined ? what : `${what} (${detail})`
    log.warn({ insecureMode: mode }, `INSECURE: ${mode}: ${consequence}`)
    health.note(`insecure mode of ${service}: ${mode}`, consequence)
    gaugeOf(metrics).set({ service, mode }, 1)
  }
}

/** Services in one process share it. */
function gaugeOf(metrics: Metrics): Gauge {
  const known = metrics.getSingleMetric(gaugeName)
  if (known instanceof Gauge) return known
  return new Gauge({
    name: gaugeName,
    help: 'settings that relax the security of a service',
    labelNames: ['service', 'mode'],
    registers: [metrics],
  })
}
