/** Runs a group's handler on a batch, and its background work after the handler has returned. */
import type { Logger } from '@causeway/process'
import type { BatchContext, Message, Subscription } from '../event-bus.ts'
import { inTurn, type Turns } from '../turns.ts'
import type { DeadLetters } from './dead-letters.ts'
import type { Delivery } from './delivery.ts'
import { openBackgroundWork } from '../background-work.ts'
import type { DerivedEvents } from './derived-events.ts'

export interface GroupWork {
  handleBatch(messages: readonly Message[], deliveries: readonly Delivery[]): Promise<void>
  /** Resolves when no background work is left. */
  settled(): Promise<void>
}

export interface GroupWorkOptions {
  readonly subscription: Pick<
    Subscription,
    'group' | 'deadLetterObserver' | 'handleBatch' | 'givesWay'
  >
  readonly derivedEvents: DerivedEvents
  /** Holds the deliveries unfinished until the returned release is called. */
  readonly hold: (deliveries: readonly Delivery[]) => () => void
  readonly deadLetters: Pick<DeadLetters, 'store'>
  readonly turns: Turns
  readonly log: Logger
  /** Work has failed and may be repeated. */
  readonly onFailed: () => void
}

export function openWork(options: GroupWorkOptions): GroupWork {
  const { subscription, derivedEvents, hold, deadLetters, log, turns, onFailed } = options
  const background = openBackgroundWork<Delivery>({
    hold,
    deadLetter: (delivery, reason) => deadLetters.store(subscription, delivery, reason),
    log,
  })
  const failed = new WeakSet<Delivery>()

  function processBatch(
    messages: readonly Message[],
    deliveries: readonly Delivery[],
    giveWay: BatchContext['giveWay'],
  ): Promise<void> {
    return subscription.handleBatch(messages, {
      giveWay,
      publishDerived: derivedEvents(() => hold(deliveries)),
      until: (work) => background.keep(deliveries, work),
    })
  }

  /** A dead letter is removed when its work ends, so everything has to be done by then. */
  async function processReplay(
    messages: readonly Message[],
    giveWay: BatchContext['giveWay'],
  ): Promise<void> {
    const all: Promise<void>[] = []
    await subscription.handleBatch(messages, {
      giveWay,
      publishDerived: derivedEvents(undefined),
      until: (work) => void all.push(work),
    })
    await Promise.all(all)
  }

  return {
    async handleBatch(messages, deliveries) {
      const isReplay = deliveries.some(({ content }) => content.from === 'dead letter')
      const isRepeat = deliveries.some((delivery) => failed.has(delivery))
      const marked = isRepeat
        ? messages.map((message) => ({ ...message, maybeDuplicate: true }))
        : messages
      try {
        await inTurn(turns, subscription, (giveWay) =>
          isReplay ? processReplay(marked, giveWay) : processBatch(marked, deliveries, giveWay),
        )
      } catch (error) {
        for (const delivery of deliveries) failed.add(delivery)
        onFailed()
        throw error
      }
    },
    settled: () => background.settled(),
  }
}
