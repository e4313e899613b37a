/** What a process records of the work that it does: spans, which belong to traces. */

/** As OpenTelemetry names them. */
export type SpanKind = 'SERVER' | 'CLIENT' | 'PRODUCER' | 'CONSUMER'

export interface SpanOptions {
  readonly kind: SpanKind
  /** The `traceparent` of what caused it. */
  readonly parent?: string | undefined
  /** Without a parent: its trace. Without either it begins a trace of its own. */
  readonly traceId?: string | undefined
  /** Ids and names, never what is personal: a party's identifier is. */
  readonly attributes?: Readonly<Record<string, string | number>>
  /** ms since 1970; now when left out. */
  readonly start_ms?: number
}

export interface Span {
  /** For what it causes. */
  readonly traceparent: string
  /** Once; what comes later is ignored. */
  end(outcome?: {
    /** Why the work failed. */
    readonly error?: Error | string
    readonly attributes?: Readonly<Record<string, string | number>>
  }): void
}

export interface Tracer {
  /** Undefined when its trace is not recorded. */
  begin(name: string, options: SpanOptions): Span | undefined
  /** The spans of which the running code is a part, those that have ended excluded. */
  current(): readonly Span[]
  /** The code that `work` runs, and what it awaits, is a part of these and of no other. */
  within<Result>(spans: readonly Span[], work: () => Result): Result
}

export interface Tracing {
  /** The spans of a service bear its name. */
  of(service: string): Tracer
  /** Sends what is not sent yet, for 3 s at most. */
  stop(): Promise<void>
}
