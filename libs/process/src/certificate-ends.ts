/** When the certificates end that this process shows to others, as a metric. */
import { X509Certificate } from 'node:crypto'
import { Gauge } from 'prom-client'
import type { Metrics } from './metrics.ts'

const gaugeName = 'certificate_end_timestamp_seconds'

/** @param setting the setting that names its file */
export function noteCertificateEnd(metrics: Metrics, setting: string, pem: string): void {
  const { validTo } = new X509Certificate(pem)
  gaugeOf(metrics).set({ setting }, Date.parse(validTo) / 1_000)
}

/** Services in one process share it. */
function gaugeOf(metrics: Metrics): Gauge {
  const known = metrics.getSingleMetric(gaugeName)
  if (known instanceof Gauge) return known
  return new Gauge({
    name: gaugeName,
    help: 'when a certificate of this process ends',
    labelNames: ['setting'],
    registers: [metrics],
  })
}
