/**
 * Events that a service could not process. Each can be delivered to its group again or discarded; the
 * attempt is on record before it is made.
 */
import { isGroupOf } from '@causeway/bus'
import { auditEntry } from '@causeway/events'
import { Outage } from '@causeway/process'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { pageSize } from '../fields.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { maskedText } from '../story/domain/mask.ts'
import { shownTime } from '../shapes.ts'
import type { Deps } from '../upstream.ts'

const letters_max = 1_000
const letters_usual = 100
/** Over Kafka the stored events are read for each call. */
const deadline_ms = 30_000

const search = z.object({ limit: pageSize(letters_max).optional() })

const shownLetter = z
  .strictObject({
    group: z.string(),
    id: z.string(),
    topic: z.string(),
    key: z.string(),
    /** Absent where the message has none. */
    type: z.string().optional(),
    reason: z.string(),
    failedAt: shownTime,
  })
  .meta({ id: 'EventDeadLetter' })

const shownList = z.strictObject({
  deadLetters: z.array(shownLetter),
  /** Services that did not answer: their dead letters are missing. */
  unavailable: z.array(z.string()),
})

const name = z.strictObject({ group: z.string().min(1).max(249), id: z.string().min(1).max(1_024) })
type DeadLetterName = z.infer<typeof name>

const shownOutcome = z.strictObject({
  group: z.string(),
  id: z.string(),
  outcome: z.enum(['REPLAYED', 'DISCARDED']),
})

export function eventDeadLetterOperations(deps: Deps): readonly Operation[] {
  const path = '/event-dead-letters'
  const refuses = ['DEAD_LETTER_UNKNOWN'] as const
  return [
    reads(
      path,
      {
        about: 'Events that a service could not process, newest first',
        query: search,
        answers: { 200: shownList },
      },
      ({ query }) => list(deps, query.limit ?? letters_usual),
    ),
    writes(
      'POST',
      `${path}/replay`,
      name,
      {
        about: 'Delivers an event to its group again; it is listed until the group has finished it',
        answers: { 202: shownOutcome },
        refuses,
      },
      ({ body, actor }) => decide(deps, 'ReplayEventDeadLetter', body, actor),
    ),
    writes(
      'POST',
      `${path}/discard`,
      name,
      {
        about: 'Removes an event that a group could not process; it is never processed then',
        answers: { 202: shownOutcome },
        refuses,
      },
      ({ body, actor }) => decide(deps, 'DiscardEventDeadLetter', body, actor),
    ),
  ]
}

async function list({ eventDeadLetters }: Deps, limit: number): Promise<OperationResult> {
  const lists = await Promise.all(
    Object.entries(eventDeadLetters).map(([service, { ListEventDeadLetters }]) =>
      ListEventDeadLetters({ service, limit }, { deadline_ms }).then(
        ({ deadLetters }) => ({ service, deadLetters }),
        () => ({ service, deadLetters: undefined }),
      ),
    ),
  )
  const found = lists.flatMap(({ deadLetters = [] }) => deadLetters)
  const newest = found.toSorted((one, other) => other.time.localeCompare(one.time)).slice(0, limit)
  return answered(200, {
    deadLetters: newest.map(({ group, id, topic, key, type, error, time }) => ({
      group,
      id,
      topic,
      key: maskedText(key),
      ...(type === undefined ? {} : { type }),
      reason: maskedText(error),
      failedAt: time,
    })),
    unavailable: lists
      .filter(({ deadLetters }) => deadLetters === undefined)
      .map(({ service }) => service),
  })
}

async function decide(
  { eventDeadLetters, publish }: Deps,
  action: 'ReplayEventDeadLetter' | 'DiscardEventDeadLetter',
  { group, id }: DeadLetterName,
  actor: string,
): Promise<OperationResult> {
  const unknown = () => refused('DEAD_LETTER_UNKNOWN', `dead letter ${id} of ${group}`)
  const [, service] =
    Object.entries(eventDeadLetters).find(([owner]) => isGroupOf(owner, group)) ?? []
  if (service === undefined) return unknown()
  const subject = `event-dead-letters/${group}`
  const facts = { before: { group, id }, after: null, labels: { group, id } }
  await publish([auditEntry('admin', { actor, action, subject, ...facts, at: new Date() })])
  const { outcome } = await service[action]({ group, id }, { deadline_ms })
  if (outcome === 'UNKNOWN') return unknown()
  if (outcome === 'ELSEWHERE') throw new Outage(`${group} is not in the process that was asked`)
  return answered(202, { group, id, outcome })
}
