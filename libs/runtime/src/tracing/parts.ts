/** Recording as a setting: a process that has none of it does exactly what it would do without. */
import { StartError, type Logger } from '@causeway/process'
import { openTracing, type Tracing } from '@causeway/tracing'
import type { ProcessParts } from '../process-parts.ts'
import { tracedBus } from './bus.ts'
import { tracedGrpc } from './grpc.ts'

export interface TracingSettings {
  readonly TRACES_URL: string
  readonly TRACES_SAMPLED_PERCENT: number
}

/** Undefined when none are to be recorded. */
export async function tracingOf(
  settings: TracingSettings,
  log: Logger,
): Promise<Tracing | undefined> {
  const { TRACES_URL: url, TRACES_SAMPLED_PERCENT: sampled_percent } = settings
  if (url === '') return undefined
  const onWarning = (sentence: string) => log.warn(`OpenTelemetry: ${sentence}`)
  try {
    return await openTracing({ url, sampled_percent, onWarning })
  } catch (error) {
    if (error instanceof TypeError) throw new StartError(`TRACES_URL is no URL of HTTP: '${url}'.`)
    throw error
  }
}

/** The parts as a service sees them whose spans bear its name. */
export function tracedParts<Parts extends ProcessParts>(
  parts: Parts,
  tracing: Tracing | undefined,
  service: string,
): Parts {
  if (tracing === undefined) return parts
  const tracer = tracing.of(service)
  return {
    ...parts,
    bus: tracedBus(parts.bus, tracer),
    grpc: tracedGrpc(parts.grpc, tracer),
    tracer,
  }
}
