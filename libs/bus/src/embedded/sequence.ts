/**
 * The order of the log. Numbers are assigned before it is known whether their transaction commits.
 * Committed messages are delivered in the order of their numbers, rolled-back ones are skipped, and
 * no message is delivered while a lower number is open.
 */

/** Numbers in a row that belong to one transaction; exactly one of the two is called. */
export interface Span {
  readonly first: number
  committed(): void
  rolledBack(): void
}

export interface Sequence<Content> {
  open(count: number, content: Content): Span
  /** The highest number that was ever assigned. */
  readonly used: number
  /** No number up to this one is open, and all committed messages up to it are delivered. */
  readonly handedOver: number
  /** The content with the lowest number that is not delivered; undefined when there is none. */
  oldest(): Content | undefined
  /** How long the oldest open number has been open; undefined when none is. */
  oldest_ms(): number | undefined
}

interface OpenSpan<Content> {
  readonly first: number
  readonly last: number
  readonly content: Content
  readonly opened_ms: number
  outcome: 'open' | 'committed' | 'rolled back'
}

/**
 * @param highest the highest number that was ever used
 * @param handOver receives the content of committed spans, with their first numbers, in order
 */
export function openSequence<Content>(
  highest: number,
  handOver: (first: number, content: Content) => void,
): Sequence<Content> {
  const spans: OpenSpan<Content>[] = []
  let used = highest
  let handedOver = highest

  function close(span: OpenSpan<Content>, outcome: 'committed' | 'rolled back'): void {
    if (span.outcome !== 'open')
      throw new Error(`the numbers from ${span.first} are closed already`)
    span.outcome = outcome
    for (let head = spans[0]; head !== undefined && head.outcome !== 'open'; head = spans[0]) {
      spans.shift()
      if (head.outcome === 'committed') handOver(head.first, head.content)
      handedOver = head.last
    }
  }

  return {
    open(count, content) {
      const first = used + 1
      used += count
      const opened_ms = performance.now()
      const span: OpenSpan<Content> = { first, last: used, content, opened_ms, outcome: 'open' }
      spans.push(span)
      return {
        first,
        committed: () => close(span, 'committed'),
        rolledBack: () => close(span, 'rolled back'),
      }
    },
    get used() {
      return used
    },
    get handedOver() {
      return handedOver
    },
    oldest: () => spans[0]?.content,
    oldest_ms: () => (spans[0] === undefined ? undefined : performance.now() - spans[0].opened_ms),
  }
}
