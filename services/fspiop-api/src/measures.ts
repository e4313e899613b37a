/** The metrics of the edge. */
import type { Metrics } from '@causeway/process'
import { Counter, Gauge } from 'prom-client'
import type { Admission } from './load/admission.ts'
import type { Shedding } from './load/shedding.ts'

export interface EdgeMeasures {
  /** `code` is '' for an acknowledgement. */
  answered(method: string, status: number, code: string): void
  cut(): void
  noEndpoint(): void
}

const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

export function openMeasures(
  metrics: Metrics,
  admission: Admission,
  shedding: Pick<Shedding, 'queueDelay_ms'>,
): EdgeMeasures {
  const registers = [metrics]
  const answers = new Counter({
    name: 'fspiop_api_answers_total',
    help: 'answers to FSPs by method, status and error code',
    labelNames: ['method', 'status', 'code'],
    registers,
  })
  const cuts = new Counter({
    name: 'fspiop_api_cut_requests_total',
    help: 'requests whose connection ended before their body did',
    registers,
  })
  const noEndpoints = new Counter({
    name: 'fspiop_api_callbacks_without_endpoint_total',
    help: 'callbacks whose recipient has no registered address',
    registers,
  })
  new Gauge({
    name: 'fspiop_api_requests_in_flight',
    help: 'requests in progress',
    registers,
    collect() {
      this.set(admission.inFlight)
    },
  })
  new Gauge({
    name: 'fspiop_api_queue_delay_seconds',
    help: 'queue delay: the time of the fastest messages through the hub, when there are many',
    registers,
    collect() {
      this.set(shedding.queueDelay_ms / 1_000)
    },
  })
  return {
    answered(method, status, code) {
      answers.inc({ method: methods.has(method) ? method : 'other', status, code })
    },
    cut: () => cuts.inc(),
    noEndpoint: () => noEndpoints.inc(),
  }
}
