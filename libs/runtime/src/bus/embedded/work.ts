/** A group's work on a batch, and what of it goes on when the handler is done. */
import type { Logger } from '../../log.ts'
import { isOutage } from '../../outage.ts'
import { isFromNewerRelease } from '../newer.ts'
import type { Message, Subscription } from '../event-bus.ts'
import type { Letters } from './dead-letters.ts'
import type { Delivery } from './delivery.ts'
import { reasonOf } from '../poison.ts'
import type { FollowUps } from './follow-ups.ts'

export interface GroupWork {
  handleBatch(messages: readonly Message[], deliveries: readonly Delivery[]): Promise<void>
  /** Resolves when nothing goes on any more. */
  settled(): Promise<void>
}

export interface GroupWorkOptions {
  readonly subscription: Pick<Subscription, 'group' | 'letters' | 'handleBatch'>
  readonly followUps: FollowUps
  /** Keeps them unfinished until the release that it returns is called. */
  readonly hold: (deliveries: readonly Delivery[]) => () => void
  readonly letters: Pick<Letters, 'store'>
  readonly log: Logger
  /** Work has failed, and may be done again. */
  readonly onFailed: () => void
}

export function openWork(options: GroupWorkOptions): GroupWork {
  const { subscription, followUps, hold, letters, log, onFailed } = options
  const lasting = new Set<Promise<void>>()
  const failed = new WeakSet<Delivery>()

  function workOn(messages: readonly Message[], deliveries: readonly Delivery[]): Promise<void> {
    return subscription.handleBatch(messages, {
      followUp: followUps(() => hold(deliveries)),
      until(work) {
        const release = hold(deliveries)
        const settled = work
          .catch((error: unknown) => giveUp(deliveries, error))
          .then(release, (error: unknown) =>
            log.error(
              { err: error },
              'a batch is left unfinished: it comes again at the next start',
            ),
          )
          .finally(() => lasting.delete(settled))
        lasting.add(settled)
      },
    })
  }

  /** Nobody would try it again: what an outage did not end is for a person to look at. */
  async function giveUp(deliveries: readonly Delivery[], error: unknown): Promise<void> {
    if (isOutage(error) || isFromNewerRelease(error)) throw error
    for (const delivery of deliveries) {
      await letters.store(subscription, delivery, reasonOf(error))
    }
  }

  /** A dead letter goes when the work on it ends, so everything has to be done by then. */
  async function workOnReplay(messages: readonly Message[]): Promise<void> {
    const all: Promise<void>[] = []
    await subscription.handleBatch(messages, {
      followUp: followUps(undefined),
      until: (work) => void all.push(work),
    })
    await Promise.all(all)
  }

  return {
    async handleBatch(messages, deliveries) {
      const isReplay = deliveries.some(({ content }) => content.from === 'letter')
      const isAgain = deliveries.some((delivery) => failed.has(delivery))
      const told = isAgain ? messages.map((message) => ({ ...message, again: true })) : messages
      try {
        await (isReplay ? workOnReplay(told) : workOn(told, deliveries))
      } catch (error) {
        for (const delivery of deliveries) failed.add(delivery)
        onFailed()
        throw error
      }
    },
    async settled() {
      await Promise.all(lasting)
    },
  }
}
