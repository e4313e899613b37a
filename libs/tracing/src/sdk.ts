/** The tracer on the SDK of OpenTelemetry. */
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind as Kind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Tracer as SdkTracer,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type IdGenerator,
} from '@opentelemetry/sdk-trace'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { TracingOptions } from './open.ts'
import { readTraceparent, traceparentOf } from './trace-id.ts'
import type { Span, Tracer, Tracing } from './tracer.ts'

/** Beyond it spans are dropped: what records must not fill the memory of what is recorded. */
const queued_max = 16_384
const send_every_ms = 1_000
/** Of a batch, all tries included. */
const send_ms_max = 2_000
/** Several batches may be left; they are sent side by side. */
const stop_ms_max = 3_000

interface OpenSpan extends Span {
  readonly isOpen: boolean
}

export function openSdk({ url, sampled_percent, onWarning }: TracingOptions): Tracing {
  const tell = (sentence: string) => onWarning(sentence)
  const silent = () => undefined
  const logger = { error: tell, warn: tell, info: silent, debug: silent, verbose: silent }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({ url, timeoutMillis: send_ms_max }),
    maxQueueSize: queued_max,
    scheduledDelayMillis: send_every_ms,
  })
  const sampler = new TraceIdRatioBasedSampler(sampled_percent / 100)
  const isSampled = (traceId: string) =>
    sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED
  const current = new AsyncLocalStorage<readonly OpenSpan[]>()

  return {
    of(service) {
      const ids = idsOfRoots()
      const provider = new TracerProvider({
        resource: resourceFromAttributes({ 'service.name': service }),
        // What is not sampled is not even begun.
        sampler: new AlwaysOnSampler(),
        spanProcessors: [processor],
        idGenerator: ids,
      })
      const sdk = provider.getTracer('causeway')
      return tracerOn({ sdk, ids, isSampled, current })
    },
    async stop() {
      let late: NodeJS.Timeout | undefined
      const tooLate = new Promise((_, reject) => {
        late = setTimeout(() => reject(new Error('no answer')), stop_ms_max)
      })
      await Promise.race([processor.shutdown(), tooLate]).catch((error: unknown) => {
        tell(`the last traces are lost: ${String(error)}`)
      })
      clearTimeout(late)
    },
  }
}

interface Recording {
  readonly sdk: SdkTracer
  readonly ids: IdsOfRoots
  readonly isSampled: (traceId: string) => boolean
  readonly current: AsyncLocalStorage<readonly OpenSpan[]>
}

function tracerOn({ sdk, ids, isSampled, current }: Recording): Tracer {
  return {
    begin(name, options) {
      const { parent, kind, attributes = {}, start_ms } = options
      const from = parent === undefined ? undefined : readTraceparent(parent)
      const traceId = from?.traceId ?? options.traceId ?? ids.newTraceId()
      if (!isSampled(traceId)) return undefined
      const details = {
        kind: Kind[kind],
        attributes,
        ...(start_ms === undefined ? {} : { startTime: start_ms }),
      }
      if (from === undefined) ids.nextTraceId = traceId
      const span = sdk.startSpan(name, details, contextOf(from))
      return spanOf(span)
    },
    current: () => current.getStore()?.filter(({ isOpen }) => isOpen) ?? [],
    within: (spans, work) => current.run(spans as readonly OpenSpan[], work),
  }
}

function contextOf(from: ReturnType<typeof readTraceparent>): Context {
  if (from === undefined) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...from,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  })
}

function spanOf(span: ReturnType<SdkTracer['startSpan']>): OpenSpan {
  return {
    traceparent: traceparentOf(span.spanContext()),
    get isOpen() {
      return span.isRecording()
    },
    end({ error, attributes } = {}) {
      if (attributes !== undefined) span.setAttributes(attributes)
      if (error !== undefined) {
        const message = error instanceof Error ? error.message : error
        span.setStatus({ code: SpanStatusCode.ERROR, message })
      }
      if (span.isRecording()) span.end()
    },
  }
}

interface IdsOfRoots extends IdGenerator {
  newTraceId(): string
  /** Of the next span without a parent. */
  nextTraceId: string
}

function idsOfRoots(): IdsOfRoots {
  const random = new RandomIdGenerator()
  return {
    nextTraceId: '',
    newTraceId: () => random.generateTraceId(),
    generateTraceId() {
      return this.nextTraceId
    },
    generateSpanId: () => random.generateSpanId(),
  }
}
