/** Adds tracing to the parts of a process; without TRACES_URL the parts are unchanged. */
import { StartError, type Logger } from '@causeway/process'
import { openTracing, type Tracing } from '@causeway/tracing'
import type { ProcessParts } from '../process-parts.ts'
import { tracedBus } from './bus.ts'
import { tracedGrpc } from './grpc.ts'

export interface TracingSettings {
  readonly TRACES_URL: string | undefined
  readonly TRACES_SAMPLED_PERCENT: number
}

/** Undefined when no traces are recorded. */
export async function tracingOf(
  settings: TracingSettings,
  log: Logger,
): Promise<Tracing | undefined> {
  const { TRACES_URL: url, TRACES_SAMPLED_PERCENT: sampled_percent } = settings
  if (url === undefined) return undefined
  const onWarning = (sentence: string) => log.warn(`OpenTelemetry: ${sentence}`)
  try {
    return await openTracing({ url, sampled_percent, onWarning })
  } catch (error) {
    if (error instanceof TypeError)
      throw new StartError(`TRACES_URL is not an HTTP URL without a fragment: '${url}'.`)
    throw error
  }
}

/** The parts for a service, with its name in its spans. */
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
