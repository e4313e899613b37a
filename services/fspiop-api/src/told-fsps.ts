/**
 * What the edge hears and says to FSPs: events become callbacks, and what became of callbacks goes back
 * to who caused them. Callbacks first, reports beside them: who waits for money does not wait for a
 * report.
 */
import { onEvents, type DomainEvent } from '@causeway/events'
import type { EventBus, PublishDerived, OutgoingMessage, Service } from '@causeway/runtime'
import { callbackMessages, type CallbackParts } from './callbacks.ts'
import { failureLegs, reportEvents, reportLines, undeliveredQuestions } from './reports.ts'
import type { Shedding } from './shedding.ts'
import {
  bulkToldEvents,
  causedLegs,
  toldEvents,
  type TellingRules,
  type ToldEvent,
} from './told.ts'

/** While one batch is being stored the next is made. */
const callback_batches_max = 2
/** Each of them may hold 5 MiB. */
const bulk_batch_max = 10
/** Reports are short, and nobody waits for them. */
const report_batch_max = 1_000

export interface TellingParts {
  readonly bus: EventBus
  readonly callbacks: CallbackParts
  readonly rules: TellingRules
  readonly shedding: Pick<Shedding, 'noted'>
}

export async function tellFsps(parts: TellingParts): Promise<Service> {
  const { bus, callbacks, rules, shedding } = parts
  const telling = await onEvents(
    bus,
    'fspiop_api',
    toldEvents,
    async (events, { publishDerived }) => {
      note(shedding, events)
      const legs = events.flatMap((event) => causedLegs(event, rules))
      await sayIfAny(publishDerived, await callbackMessages(legs, callbacks, new Date()))
    },
    { batches_in_flight_max: callback_batches_max },
  )
  // Beside the others, so that no payment waits behind a bulk; and not noted, for a bulk takes long even
  // where no work stands in a queue.
  const tellingOfBulks = await onEvents(
    bus,
    'fspiop_api.bulks',
    bulkToldEvents,
    async (events, { publishDerived }) => {
      const legs = events.flatMap((event) => causedLegs(event, rules))
      await sayIfAny(publishDerived, await callbackMessages(legs, callbacks, new Date()))
    },
    { batch_max: bulk_batch_max, givesWay: true },
  )
  const reporting = await onEvents(
    bus,
    'fspiop_api',
    ['NotifyReport'],
    async (events, { publishDerived }) => {
      const failures = await callbackMessages(events.flatMap(failureLegs), callbacks, new Date())
      await sayIfAny(publishDerived, [
        ...reportEvents(events.flatMap(reportLines)),
        ...failures,
        ...events.flatMap(undeliveredQuestions),
      ])
    },
    { batch_max: report_batch_max },
  )
  return {
    async stop() {
      await telling.stop()
      await tellingOfBulks.stop()
      await reporting.stop()
    },
  }
}

/** What the services made of an FSP's message is heard here first: it has been through the hub. */
function note(shedding: Pick<Shedding, 'noted'>, events: readonly DomainEvent<ToldEvent>[]): void {
  const now_ms = Date.now()
  for (const { name, relay } of events) {
    if (relay?.receivedAt === undefined) continue
    shedding.noted(name, now_ms - Date.parse(relay.receivedAt))
  }
}

async function sayIfAny(say: PublishDerived, messages: readonly OutgoingMessage[]): Promise<void> {
  if (messages.length > 0) await say(messages)
}
