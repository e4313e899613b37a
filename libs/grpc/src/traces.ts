/** The traces that a call is part of: its header `traceparent`, which has one value for each. */
import type { Metadata } from '@grpc/grpc-js'

const header = 'traceparent'

export function withTraces(metadata: Metadata, traces: readonly string[]): Metadata {
  const all = metadata.clone()
  for (const traceparent of traces) all.add(header, traceparent)
  return all
}

/** HTTP/2 joins the values of a header. */
export function tracesIn(metadata: Metadata): readonly string[] {
  return metadata.get(header).flatMap((value) => String(value).split(/, ?/))
}
