/**
 * What the edge hears and says to FSPs: events become callbacks, and what became of callbacks goes back
 * to who caused them. Callbacks first, reports beside them: who waits for money does not wait for a
 * report.
 */
import { onEvents } from '@causeway/events'
import type { EventBus, FollowUp, OutgoingMessage, Service } from '@causeway/runtime'
import { callbackMessages, type CallbackParts } from './callbacks.ts'
import { failureLegs, reportEvents, reportLines, undeliveredQuestions } from './reports.ts'
import { causedLegs, toldEvents } from './told.ts'
import type { CallbackRules } from './transfers/callbacks.ts'

/** While one batch is being stored the next is made. */
const callback_batches_max = 2
/** Reports are short, and nobody waits for them. */
const report_batch_max = 1_000

export interface TellingParts {
  readonly bus: EventBus
  readonly callbacks: CallbackParts
  readonly rules: CallbackRules
}

export async function tellFsps(parts: TellingParts): Promise<Service> {
  const { bus, callbacks, rules } = parts
  const telling = await onEvents(
    bus,
    'fspiop_api',
    toldEvents,
    async (events, { followUp }) => {
      const legs = events.flatMap((event) => causedLegs(event, rules))
      await sayIfAny(followUp, await callbackMessages(legs, callbacks, new Date()))
    },
    { batches_in_flight_max: callback_batches_max },
  )
  const reporting = await onEvents(
    bus,
    'fspiop_api',
    ['NotifyReport'],
    async (events, { followUp }) => {
      const failures = await callbackMessages(events.flatMap(failureLegs), callbacks, new Date())
      await sayIfAny(followUp, [
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
      await reporting.stop()
    },
  }
}

async function sayIfAny(say: FollowUp, messages: readonly OutgoingMessage[]): Promise<void> {
  if (messages.length > 0) await say(messages)
}
