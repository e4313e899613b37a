/**
 * gRPC that records traces: a call for several payments at once is a span in the trace of each, at the
 * caller and at the provider.
 */
import type { Span, Tracer } from '@causeway/tracing'
import {
  nameOf,
  type Calls,
  type GrpcHost,
  type Handlers,
  type OutgoingCall,
  type UnaryHandler,
} from '@causeway/grpc'
import { recorded } from './recorded.ts'

/** Traces of a call; further ones are not sent to the provider, to bound the size of the headers. */
const traces_max = 100

export function tracedGrpc(grpc: GrpcHost, tracer: Tracer): GrpcHost {
  return {
    address: grpc.address,
    serve: (service, handlers) => grpc.serve(service, handlersOf(service, handlers, tracer)),
    checkOperators: (check) => grpc.checkOperators(check),
    client: (service, provider) =>
      callsOf(service, grpc.client(service, provider), provider, tracer),
    clientAt: (service, provider, address) =>
      callsOf(service, grpc.clientAt(service, provider, address), provider, tracer),
  }
}

function callsOf<D extends object>(
  service: D,
  calls: Calls<D>,
  provider: string,
  tracer: Tracer,
): Calls<D> {
  const traced = (Object.entries(calls) as [string, OutgoingCall][]).map(([name, call]) => {
    const attributes = { ...attributesOf(service, name), 'server.address': provider }
    const tracedCall: OutgoingCall = (request, options) => {
      const spans = tracer
        .current()
        .slice(0, traces_max)
        .map(({ traceparent: parent }) =>
          tracer.begin(spanName(service, name), { kind: 'CLIENT', parent, attributes }),
        )
        .filter((span): span is Span => span !== undefined)
      if (spans.length === 0) return call(request, options)
      const traces = spans.map(({ traceparent }) => traceparent)
      return recorded(spans, () => call(request, { ...options, traces }))
    }
    return [name, tracedCall]
  })
  return Object.fromEntries(traced) as Calls<D>
}

function handlersOf<D extends object>(
  service: D,
  handlers: Handlers<D>,
  tracer: Tracer,
): Handlers<D> {
  const traced = (Object.entries(handlers) as [string, UnaryHandler][]).map(([name, handler]) => {
    const attributes = attributesOf(service, name)
    const tracedHandler: UnaryHandler = (request, call) => {
      const spans = (call.traces ?? [])
        .map((parent) =>
          tracer.begin(spanName(service, name), { kind: 'SERVER', parent, attributes }),
        )
        .filter((span): span is Span => span !== undefined)
      return recorded(spans, () => tracer.within(spans, () => handler(request, call)))
    }
    return [name, tracedHandler]
  })
  return Object.fromEntries(traced) as Handlers<D>
}

function spanName(service: object, method: string): string {
  return `${nameOf(service)}/${method}`
}

function attributesOf(service: object, method: string): Readonly<Record<string, string>> {
  return { 'rpc.system': 'grpc', 'rpc.service': nameOf(service), 'rpc.method': method }
}
