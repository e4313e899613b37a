/** The dependencies of every step: stores, participants, rules, and the clock. */
import type { EventBus } from '@causeway/bus'
import type { Participants } from '@causeway/participants'
import type { ClockWatch, Metrics } from '@causeway/process'
import { Counter } from 'prom-client'
import type { DeliveryStore } from '@causeway/records'
import type { BulkStore } from './bulk-quotes/store.ts'
import type { FindOwners } from './quotes/destination.ts'
import type { Quote } from './quotes/domain/quote.ts'
import type { QuoteStore } from './quotes/pending.ts'
import type { RuleBook } from './rules/book.ts'
import type { VelocityStore } from './velocity/store.ts'

export interface Work {
  readonly store: QuoteStore
  readonly bulks: BulkStore
  readonly deliveries: DeliveryStore
  readonly velocity: VelocityStore
  readonly rules: RuleBook
  readonly participants: Pick<Participants, 'get'>
  readonly findOwners: FindOwners
  readonly publish: EventBus['publish']
  readonly now: () => Date
  /** Detects edges whose clock is ahead of this one. */
  readonly watchClock: ClockWatch
  /** Counts quotes that have entered a state. */
  readonly became: (state: Quote['state'], count: number) => void
  readonly becameBulk: (state: Quote['state'], count?: number) => void
  /** How long a request without expiration waits for its answer. */
  readonly pending_max_ms: number
}

export function countStates(metrics: Metrics): Pick<Work, 'became' | 'becameBulk'> {
  const quotes = new Counter({
    name: 'quoting_quotes_total',
    help: 'Quotes by the state that they entered',
    labelNames: ['state'],
    registers: [metrics],
  })
  const bulks = new Counter({
    name: 'quoting_bulk_quotes_total',
    help: 'Bulk quotes by the state that they entered',
    labelNames: ['state'],
    registers: [metrics],
  })
  return {
    became(state, count) {
      if (count > 0) quotes.inc({ state }, count)
    },
    becameBulk: (state, count = 1) => bulks.inc({ state }, count),
  }
}
