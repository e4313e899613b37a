/**
 * Traces over OTLP, by the SDK of OpenTelemetry. It is loaded by the first call: a process that records no
 * traces never loads it.
 */
import type { Tracing } from './tracer.ts'

export interface TracingOptions {
  /** `http://collector:4318/v1/traces` */
  readonly url: string
  /** Of a hundred traces; which ones follows from their ids, so all services choose the same. */
  readonly sampled_percent: number
  /** What of OpenTelemetry fails, such as sending. */
  readonly onWarning: (sentence: string) => void
}

/** Throws a TypeError when the URL is none that traces can be sent to. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { protocol, hash } = new URL(options.url)
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError('the URL is not of HTTP')
  if (hash !== '') throw new TypeError('the URL has a fragment')
  const { openSdk } = await import('./sdk.ts')
  return openSdk(options)
}
