/** A stored report: its JSON, the figures that lists show, and the hash of the JSON. */
import { createHash } from 'node:crypto'
import { parseDecimal } from '@causeway/money'
import type { PositionAtEnd } from './domain/facts.ts'
import { operator, type ReportFacts, type Section } from './domain/report.ts'

export interface Head {
  readonly day: string
  /** A currency with an end of day of its own; empty: all others. */
  readonly scope: string
  /** Empty: the operator's report. */
  readonly participant: string
  readonly version: number
  readonly madeAt: string
  readonly reason: string
  /** The version before, that this one replaces. */
  readonly replaces: { readonly version: number; readonly sha256: string } | null
}

export type Document = Head & ReportFacts

export interface Figures {
  readonly currency: string
  readonly sentCount: number
  readonly sentValue: string
  readonly receivedCount: number
  readonly receivedValue: string
  readonly failuresCount: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly p99_ms: number | null
}

export function writeDocument(head: Head, facts: ReportFacts) {
  const document: Document = { ...head, ...facts }
  const body = JSON.stringify(document)
  return {
    participant: head.participant,
    body,
    sha256: createHash('sha256').update(body).digest('hex'),
    summary: JSON.stringify(facts.currencies.map((section) => figuresOf(head, section))),
  }
}

export function readDocument(body: string): Document {
  return JSON.parse(body) as Document
}

export function readFigures(summary: string): readonly Figures[] {
  return JSON.parse(summary) as readonly Figures[]
}

/** Whether a stored report has exactly these figures. */
export function hasFacts(body: string, facts: ReportFacts): boolean {
  const { currencies, windowsClosed, participants } = readDocument(body)
  const stored: ReportFacts = {
    currencies,
    windowsClosed,
    ...(participants === undefined ? {} : { participants }),
  }
  return JSON.stringify(stored) === JSON.stringify(facts)
}

/** The positions in a report of the operator. */
export function positionsIn(body: string): readonly PositionAtEnd[] {
  const { participants = [] } = readDocument(body)
  return participants.flatMap(({ participant: fsp, currency, position }) => {
    const value = parseDecimal(position)
    return value === undefined ? [] : [{ fsp, currency, value }]
  })
}

/** The operator's report has each failure on both sides; the payer's side has all of them. */
function figuresOf({ participant }: Head, section: Section): Figures {
  const { currency, sent, received, failures, latency } = section
  const failed = participant === operator ? failures.sent : [...failures.sent, ...failures.received]
  return {
    currency,
    sentCount: sent.total.count,
    sentValue: sent.total.value,
    receivedCount: received.total.count,
    receivedValue: received.total.value,
    failuresCount: failed.reduce((all, { count }) => all + count, 0),
    p50_ms: latency.sent.p50_ms,
    p95_ms: latency.sent.p95_ms,
    p99_ms: latency.sent.p99_ms,
  }
}
