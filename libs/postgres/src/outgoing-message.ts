/** A message that a transaction announces: its outbox writes it, the event bus delivers it. */

/** A message as its publisher creates it. */
export interface OutgoingMessage {
  /** Unique; a stateless step derives it from its cause, so that a repeat has the same id. */
  readonly id: string
  readonly topic: string
  /** The business id: order holds for one key within one topic and nowhere else. '' means none. */
  readonly key: string
  /** The event's name; consumers skip by it without reading the payload. */
  readonly type: string
  /** The service that publishes it. */
  readonly source: string
  /** What JSON can carry without loss; it is written once and never changed afterwards. */
  readonly payload: unknown
  /** Further headers: traceparent and those of a relay. Buffers are forwarded, never parsed. */
  readonly headers: MessageHeaders
}

export type MessageHeaders = Readonly<Record<string, string | Buffer>>
