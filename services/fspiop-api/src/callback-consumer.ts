/**
 * Converts events to callbacks, and delivery reports of callbacks to report events for the services that
 * caused them. Reports have their own consumer, so that no payment waits for a report.
 */
import type { EventBus, PublishDerived, OutgoingMessage } from '@causeway/bus'
import { onEvents, type DomainEvent } from '@causeway/events'
import type { Service } from '@causeway/process'
import { callbackMessages, type CallbackParts } from './callbacks.ts'
import { failureCallbacks, reportEvents, reportLines, undeliveredQuestions } from './reports.ts'
import type { Shedding } from './shedding.ts'
import {
  bulkCallbackEvents,
  triggeredCallbacks,
  callbackEvents,
  type CallbackTableRules,
  type CallbackEvent,
} from './callback-table.ts'

/** While one batch is being stored the next is prepared. */
const callback_batches_max = 2
/** Each of these events may have 5 MiB. */
const bulk_batch_max = 10
/** Reports are short, and no payment waits for them. */
const report_batch_max = 1_000

export interface CallbackConsumerParts {
  readonly bus: EventBus
  readonly callbacks: CallbackParts
  readonly rules: CallbackTableRules
  readonly shedding: Pick<Shedding, 'observe'>
}

export async function openCallbackConsumers(parts: CallbackConsumerParts): Promise<Service> {
  const { bus, callbacks, rules, shedding } = parts
  const callbackConsumer = await onEvents(
    bus,
    'fspiop_api',
    callbackEvents,
    async (events, { publishDerived }) => {
      noteQueueDelays(shedding, events)
      const triggered = events.flatMap((event) => triggeredCallbacks(event, rules))
      await publishIfAny(publishDerived, await callbackMessages(triggered, callbacks, new Date()))
    },
    { batches_in_flight_max: callback_batches_max },
  )
  // A separate consumer, so that no payment waits behind a bulk. Its delays are not noted, because a bulk
  // takes long even without a queue.
  const bulkConsumer = await onEvents(
    bus,
    'fspiop_api.bulks',
    bulkCallbackEvents,
    async (events, { publishDerived }) => {
      const triggered = events.flatMap((event) => triggeredCallbacks(event, rules))
      await publishIfAny(publishDerived, await callbackMessages(triggered, callbacks, new Date()))
    },
    { batch_max: bulk_batch_max, givesWay: true },
  )
  const reportConsumer = await onEvents(
    bus,
    'fspiop_api',
    ['NotifyReport'],
    async (events, { publishDerived }) => {
      const failures = await callbackMessages(
        events.flatMap(failureCallbacks),
        callbacks,
        new Date(),
      )
      await publishIfAny(publishDerived, [
        ...reportEvents(events.flatMap(reportLines)),
        ...failures,
        ...events.flatMap(undeliveredQuestions),
      ])
    },
    { batch_max: report_batch_max },
  )
  return {
    async stop() {
      await callbackConsumer.stop()
      await bulkConsumer.stop()
      await reportConsumer.stop()
    },
  }
}

/** Notes how long the messages behind these events have been in the hub. */
function noteQueueDelays(
  shedding: Pick<Shedding, 'observe'>,
  events: readonly DomainEvent<CallbackEvent>[],
): void {
  const now_ms = Date.now()
  for (const { name, relay } of events) {
    if (relay?.receivedAt === undefined) continue
    shedding.observe(name, now_ms - Date.parse(relay.receivedAt))
  }
}

async function publishIfAny(
  publish: PublishDerived,
  messages: readonly OutgoingMessage[],
): Promise<void> {
  if (messages.length > 0) await publish(messages)
}
