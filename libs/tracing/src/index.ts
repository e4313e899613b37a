export { openTracing, type TracingOptions } from './open.ts'
export { traceIdOf } from './trace-id.ts'
export type { Span, SpanKind, SpanOptions, Tracer, Tracing } from './tracer.ts'
