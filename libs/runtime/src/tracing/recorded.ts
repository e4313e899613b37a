/** Spans that end with the work that they record. */
import type { Span } from '@causeway/tracing'

export async function recorded<Result>(
  spans: readonly Span[],
  work: () => Promise<Result>,
): Promise<Result> {
  if (spans.length === 0) return work()
  try {
    const result = await work()
    for (const span of spans) span.end()
    return result
  } catch (error) {
    const failure = error instanceof Error ? error : 'it failed'
    for (const span of spans) span.end({ error: failure })
    throw error
  }
}
