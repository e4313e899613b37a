/** A receiver of traces on this machine, for tests: it keeps every span that it is sent over OTLP. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import { json } from 'node:stream/consumers'

export interface CollectedSpan {
  readonly service: string
  readonly name: string
  /** Of OTLP: 2 is a server, 3 a client, 4 a producer, 5 a consumer. */
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  /** Undefined or empty: it begins its trace. */
  readonly parentSpanId?: string
  readonly attributes: Readonly<Record<string, string | number>>
  readonly hasFailed: boolean
}

export interface Collector {
  /** For TRACES_URL. */
  readonly url: string
  /** In the order in which they came. */
  readonly spans: readonly CollectedSpan[]
  stop(): Promise<void>
}

interface SentSpan extends Omit<CollectedSpan, 'service' | 'attributes' | 'hasFailed'> {
  readonly attributes: readonly SentAttribute[]
  readonly status: { readonly code?: number }
}

interface SentAttribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number }
}

interface TraceExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly SentAttribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

const failed = 2

export async function openCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const server = createServer((request, response) => {
    json(request).then(
      (sent) => {
        spans.push(...spansIn(sent as TraceExport))
        response.setHeader('content-type', 'application/json').end('{}')
      },
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    url: `http://127.0.0.1:${address.port}/v1/traces`,
    spans,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function spansIn({ resourceSpans }: TraceExport): readonly CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name'])
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ attributes, status, ...span }) => ({
        ...span,
        service,
        attributes: valuesOf(attributes),
        hasFailed: status.code === failed,
      }))
  })
}

function valuesOf(attributes: readonly SentAttribute[]): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  )
}
